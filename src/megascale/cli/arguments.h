#ifndef MEGASCALE_CLI_ARGUMENTS_H_
#define MEGASCALE_CLI_ARGUMENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

// What a command takes from its line, read by CLI11. Commands see this header alone: CLI11 is all
// headers, and costs every file that includes it 12 seconds of compiling.
namespace megascale::cli {

struct Outcome;
using Action = std::function<Outcome()>;
// What to do when a command was named.
using ActionMap = std::vector<std::pair<CLI::App*, Action>>;

// An option of a command, to be refined: option("--steps", steps, "...").positive().
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option required();
  Option positive();
  Option at_least_zero();
  Option between(std::int64_t low, std::int64_t high);  // both included
  Option from_0_to_1();
  Option one_of(std::vector<std::string> values);
  Option separated_by_commas();  // of a vector
  Option in_bytes();             // 64k, 1m
  Option shows_default();        // --help shows the value that is there now

 private:
  CLI::Option* option_;
};

class Command {
 public:
  Command(CLI::App& app, ActionMap& actions) : app_(&app), actions_(&actions) {}
  [[nodiscard]] Command subcommand(const char* name, const char* what);
  void needs_subcommand();
  // `value` gets what is given and must live until the action has run. Names without dashes are
  // positions. For the types that arguments.cpp names.
  template <class Value>
  Option option(const char* name, Value& value, const char* what);
  void flag(const char* name, bool& value, const char* what);
  void does(Action action);

 private:
  CLI::App* app_;
  ActionMap* actions_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_ARGUMENTS_H_
