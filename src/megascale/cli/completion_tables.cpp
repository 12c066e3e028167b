#include "megascale/cli/completion_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "megascale/config/fields.h"

namespace megascale::cli {
namespace {

// The values that a key may have; none if there are too many.
std::vector<std::string> values_of(const Field& field) {
  if (const auto* choice = std::get_if<EnumAccess>(&field.access)) return choice->names();
  if (std::holds_alternative<BooleanAccess>(field.access)) return {"true", "false"};
  return {};
}

// "COMMAND --option" for each name of an option.
std::vector<std::string> places_of(const NamedCommand& command, const OptionWords& option) {
  std::vector<std::string> places;
  for (const std::string& name : option.names)
    places.push_back(command.words.empty() ? name : command.joined(" ") + " " + name);
  return places;
}

}  // namespace

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += R"('\'')";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string case_line(const std::vector<std::string>& patterns, const std::string& action) {
  std::vector<std::string> words;
  words.reserve(patterns.size());
  for (const std::string& pattern : patterns) words.push_back(shell_word(pattern));
  return fmt::format("    {}) {} ;;\n", fmt::join(words, " | "), action);
}

std::string set_values(const std::vector<std::string>& values) {
  return "values=" + shell_word(fmt::format("{}", fmt::join(values, " ")));
}

CompletionTables completion_tables(const std::vector<NamedCommand>& commands) {
  CompletionTables tables;
  std::vector<std::string> names, others;
  for (const NamedCommand& command : commands) {
    if (!command.words.empty()) names.push_back(command.joined(" "));
    for (const OptionWords& option : command.command->options) {
      if (option.value.empty()) continue;
      if (!option.choices.empty() && option.is_argument()) continue;
      const auto places = places_of(command, option);
      if (!option.choices.empty()) {
        tables.choices += case_line(places, set_values(option.choices));
      } else if (!option.is_argument() && option.names.front() != "--set") {
        others.insert(others.end(), places.begin(), places.end());
      }
    }
  }
  tables.commands = case_line(names, "command=$longer");
  tables.with_a_value = case_line(others, "files=1");
  for (const Field& field : config_fields()) {
    const auto values = values_of(field);
    if (values.empty()) continue;
    tables.key_values += case_line({full_name(field)}, set_values(values));
  }
  return tables;
}

std::vector<Offer> offers_of(const CommandWords& command) {
  std::vector<Offer> offers;
  for (const CommandWords& one : command.commands) offers.push_back({one.name, one.what});
  for (const OptionWords& option : command.options) {
    if (!option.is_argument()) {
      for (const std::string& name : option.names) offers.push_back({name, option.what});
    } else {
      for (const std::string& choice : option.choices) offers.push_back({choice, option.what});
    }
  }
  return offers;
}

}  // namespace megascale::cli
