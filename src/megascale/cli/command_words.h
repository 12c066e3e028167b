#ifndef MEGASCALE_CLI_COMMAND_WORDS_H_
#define MEGASCALE_CLI_COMMAND_WORDS_H_

#include <string>
#include <vector>

// The commands of the program as plain data, read from the objects that parse the command line.
// Completion and man pages are written from it, so they cannot differ from what is parsed.
namespace megascale::cli {

struct OptionWords {
  std::vector<std::string> names;    // "--set"; of an argument without dashes its name, "CONFIG"
  std::string what;                  // the text of --help
  std::string value;                 // the kind of its value, "INT"; empty: a flag
  std::string limits;                // of the value, "a number above 0"; may be empty
  std::vector<std::string> choices;  // the values that it may have; empty: any
  std::string default_value;         // empty: not known
  bool required = false, repeated = false;
  [[nodiscard]] bool is_argument() const { return !names.front().starts_with('-'); }
};
struct CommandWords {
  std::string name, what;
  std::vector<OptionWords> options;  // as the command has them, --help and --json included
  std::vector<CommandWords> commands;
};

// A command and the words that name it: {"checkpoint", "verify"}. The program itself has no words.
struct NamedCommand {
  std::vector<std::string> words;
  const CommandWords* command = nullptr;
  // Returns the words with `between` between them.
  [[nodiscard]] std::string joined(const char* between) const;
};
// Lists a program and all its commands, each before its own. They point into `program`.
[[nodiscard]] std::vector<NamedCommand> all_commands(const CommandWords& program);

// Return the program that completes the words of a command line, for the shell of that name.
[[nodiscard]] std::string bash_completion(const CommandWords& program);
[[nodiscard]] std::string zsh_completion(const CommandWords& program);

// Returns the man page of a command, in section 1.
[[nodiscard]] std::string man_page(const CommandWords& program, const NamedCommand& command);
// Returns the man page of the configuration's keys, megascale.toml(5).
[[nodiscard]] std::string man_page_of_keys();

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_COMMAND_WORDS_H_
