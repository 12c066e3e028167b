// Reads the commands and options from CLI11's objects.
#include "megascale/cli/command_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "megascale/cli/arguments.h"

namespace megascale::cli {
namespace {

// CLI11 describes a value as "KIND:LIMITS", and the members of a set as "{a,b}".
void take_type(const std::string& type, OptionWords& words) {
  const std::size_t colon = type.find(':');
  words.value = type.substr(0, colon);
  if (colon == std::string::npos) return;
  words.limits = type.substr(colon + 1);
  if (!words.limits.starts_with('{') || !words.limits.ends_with('}')) return;
  std::istringstream members(words.limits.substr(1, words.limits.size() - 2));
  for (std::string member; std::getline(members, member, ',');) words.choices.push_back(member);
  words.limits.clear();
}

OptionWords describe(const CLI::Option& option) {
  OptionWords words{.names = {},
                    .what = option.get_description(),
                    .value = {},
                    .limits = {},
                    .choices = {},
                    .default_value = option.get_default_str(),
                    .required = option.get_required(),
                    .repeated = option.get_expected_max() > 1};
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (words.names.empty()) words.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() > 0) take_type(option.get_type_name(), words);
  return words;
}

CommandWords describe(const CLI::App& app) {
  CommandWords words{
      .name = app.get_name(), .what = app.get_description(), .options = {}, .commands = {}};
  for (const CLI::Option* option : app.get_options()) words.options.push_back(describe(*option));
  // --json is an option of the program that every command takes too.
  if (const CLI::App* parent = app.get_parent()) {
    while (parent->get_parent() != nullptr) parent = parent->get_parent();
    words.options.push_back(describe(*parent->get_option("--json")));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    words.commands.push_back(describe(*command));
  return words;
}

void append(const CommandWords& command, const std::vector<std::string>& words,
            std::vector<NamedCommand>& all) {
  all.push_back({words, &command});
  for (const CommandWords& one : command.commands) {
    std::vector<std::string> longer = words;
    longer.push_back(one.name);
    append(one, longer, all);
  }
}

}  // namespace

CommandWords Command::describe_program() const {
  const CLI::App* program = app_;
  while (program->get_parent() != nullptr) program = program->get_parent();
  return describe(*program);
}

std::string NamedCommand::joined(const char* between) const {
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<NamedCommand> all_commands(const CommandWords& program) {
  std::vector<NamedCommand> all;
  append(program, {}, all);
  return all;
}

}  // namespace megascale::cli
