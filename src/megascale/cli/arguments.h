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

// A thin layer over CLI11, which parses the command line. The files of the subcommands include only
// this header, since CLI11 consists of headers and would add 12 seconds to the compilation of each.
namespace megascale::cli {

struct CommandWords;
struct Outcome;
using Action = std::function<Outcome()>;
// For each subcommand: the action to run if the command line names it.
using ActionMap = std::vector<std::pair<CLI::App*, Action>>;

// An option of a command. Its functions restrict the values and can be chained: option("--steps",
// steps, "...").positive().
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option required();
  Option positive();
  Option at_least_zero();
  Option between(std::int64_t low, std::int64_t high);  // both bounds are allowed
  Option from_0_to_1();
  Option one_of(std::vector<std::string> values);
  Option separated_by_commas();  // for vectors
  Option in_bytes();             // accepts 64k, 1m
  Option shows_default();        // --help shows the current value of the variable

 private:
  CLI::Option* option_;
};

// A subcommand under construction. It refers to CLI11 objects that main.cpp owns.
class Command {
 public:
  // `json`: whether --json is given, once the command line is parsed.
  Command(CLI::App& app, ActionMap& actions, const bool& json)
      : app_(&app), actions_(&actions), json_(&json) {}
  // `what` is the text that --help shows for a command, option or flag.
  [[nodiscard]] Command subcommand(const char* name, const char* what);
  void needs_subcommand();
  // Adds an option, or a positional argument if the name has no dashes. Parsing stores its value in
  // `value`, which must live until the action has run. arguments.cpp lists the supported types.
  template <class Value>
  Option option(const char* name, Value& value, const char* what);
  void flag(const char* name, bool& value, const char* what);
  // Whether --json is given, for actions that print several objects.
  [[nodiscard]] const bool* json() const noexcept { return json_; }
  // Sets the action of this command.
  void does(Action action);
  // Returns all commands of the program that this one belongs to, as far as they are added.
  [[nodiscard]] CommandWords describe_program() const;

 private:
  CLI::App* app_;
  ActionMap* actions_;
  const bool* json_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_ARGUMENTS_H_
