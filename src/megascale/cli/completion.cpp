// `megascale completion`: prints the program by which a shell completes the words of a command line.
#include <fmt/format.h>

#include "megascale/cli/command.h"
#include "megascale/cli/command_words.h"

namespace megascale::cli {

void add_completion(Command& app) {
  const auto shell = std::make_shared<std::string>();
  Command command = app.subcommand(
      "completion", "prints the program by which a shell completes commands, options and keys");
  command.option("SHELL", *shell, "the shell").required().one_of({"bash", "zsh"});
  command.does([shell, command] {
    const CommandWords program = command.describe_program();
    fmt::print("{}", *shell == "bash" ? bash_completion(program) : zsh_completion(program));
    return Outcome{};
  });
}

}  // namespace megascale::cli
