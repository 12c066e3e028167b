// `megascale man`: prints a man page, or writes all of them into the folders of an installation.
#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/files.h"
#include "megascale/cli/command.h"
#include "megascale/cli/command_words.h"

namespace megascale::cli {
namespace {

constexpr const char* kKeysPage = "megascale.toml";

struct ManArguments {
  std::vector<std::string> words;
  std::filesystem::path output;
};

std::string page_of(const CommandWords& program, const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{kKeysPage}) return man_page_of_keys();
  const auto commands = all_commands(program);
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const NamedCommand& one) { return one.words == words; });
  if (found != commands.end()) return man_page(program, *found);
  std::string known;
  for (const NamedCommand& one : commands)
    if (one.words.size() == 1) known += fmt::format(" {}", one.words.front());
  throw Error(ErrorCode::bad_usage,
              fmt::format("expected the words of a command, or {}; found \"{}\"; commands:{}",
                          kKeysPage, NamedCommand{.words = words}.joined(" "), known));
}

Outcome write_pages(const CommandWords& program, const std::filesystem::path& directory) {
  make_directories(directory / "man1");
  make_directories(directory / "man5");
  std::size_t pages = 0;
  for (const NamedCommand& command : all_commands(program)) {
    const std::string name = command.words.empty() ? "" : fmt::format("-{}", command.joined("-"));
    write_text_atomically(directory / "man1" / fmt::format("megascale{}.1", name),
                          man_page(program, command));
    ++pages;
  }
  write_text_atomically(directory / "man5" / fmt::format("{}.5", kKeysPage), man_page_of_keys());
  return {.json = {{"pages", pages + 1}}};
}

}  // namespace

void add_man(Command& app) {
  const auto arguments = std::make_shared<ManArguments>();
  Command command = app.subcommand(
      "man", "prints the man page of a command, or of the configuration (megascale.toml)");
  command.option("COMMAND", arguments->words,
                 "the words of the command, such as checkpoint verify (default: the program)");
  command.option("--output", arguments->output,
                 "write all pages into man1 and man5 of this folder");
  command.does([arguments, command] {
    const CommandWords program = command.describe_program();
    if (!arguments->output.empty()) return write_pages(program, arguments->output);
    fmt::print("{}", page_of(program, arguments->words));
    return Outcome{};
  });
}

}  // namespace megascale::cli
