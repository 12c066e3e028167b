// Writes man pages in the language of groff's macros for them (groff_man(7)).
#include <fmt/format.h>

#include "megascale/cli/command_words.h"
#include "megascale/config/fields.h"
#include "megascale/config/rules.h"
#include "megascale/version.h"

namespace megascale::cli {
namespace {

// Returns `text` such that groff shows it as it is: a backslash begins an escape, a point or quote at
// the beginning of a line a request, and a bare "-" may become a typographic hyphen.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '\n') {
      out += "\n.br\n";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') ? fmt::format("\\&{}", out) : out;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", plain(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", plain(text)); }

std::string head(std::string_view title, int section, std::string_view name,
                 std::string_view what) {
  return fmt::format(".TH \"{}\" {} \"\" \"megascale {}\" \"megascale\"\n.SH NAME\n{} \\- {}\n",
                     plain(title), section, kVersion, plain(name), plain(what));
}

std::string synopsis(const NamedCommand& command) {
  std::string line = bold("megascale");
  if (!command.words.empty()) line += fmt::format(" {}", bold(command.joined(" ")));
  std::string arguments;
  for (const OptionWords& option : command.command->options) {
    const std::string more = option.repeated ? "..." : "";
    if (option.is_argument()) {
      const std::string word = italic(option.names.front()) + more;
      arguments += option.required ? fmt::format(" {}", word) : fmt::format(" [{}]", word);
    } else if (option.required) {
      line += fmt::format(" {} {}{}", bold(option.names.back()), italic(option.value), more);
    }
  }
  line += fmt::format(" [{}]{}", italic("options"), arguments);
  if (!command.command->commands.empty()) line += fmt::format(" {}", italic("command"));
  return line;
}

std::string entry(const OptionWords& option) {
  std::string names;
  for (const std::string& name : option.names) {
    if (!names.empty()) names += ", ";
    names += option.is_argument() ? italic(name) : bold(name);
  }
  if (!option.value.empty() && !option.is_argument())
    names += fmt::format(" {}", italic(option.value));
  std::string text = plain(option.what);
  if (!option.choices.empty()) {
    text += "; one of:";
    for (const std::string& choice : option.choices) text += fmt::format(" {}", bold(choice));
  }
  if (!option.limits.empty()) text += fmt::format("; {}", plain(option.limits));
  if (!option.default_value.empty())
    text += fmt::format("; default: {}", plain(option.default_value));
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

std::string page_name(const NamedCommand& command) {
  return command.words.empty() ? "megascale" : fmt::format("megascale-{}", command.joined("-"));
}

std::string exit_status() {
  return ".SH EXIT STATUS\n"
         ".TP\n0\ndone\n"
         ".TP\n1\nfailed\n"
         ".TP\n2\nbad usage or configuration\n"
         ".TP\n3\na robust job that restarts do not help\n"
         ".TP\n4\na robust job that has diverged\n";
}

}  // namespace

std::string man_page(const CommandWords& program, const NamedCommand& command) {
  std::string page = head(page_name(command), 1, page_name(command), command.command->what);
  page += fmt::format(".SH SYNOPSIS\n{}\n", synopsis(command));
  if (!command.command->commands.empty()) {
    page += ".SH COMMANDS\n";
    for (const CommandWords& one : command.command->commands)
      page += fmt::format(".TP\n{}\n{}\n", bold(one.name), plain(one.what));
  }
  page += ".SH OPTIONS\n";
  for (const OptionWords& option : command.command->options) page += entry(option);
  if (command.words.empty()) page += exit_status();
  page += ".SH SEE ALSO\n";
  std::string others;
  for (const CommandWords& one : command.command->commands) {
    NamedCommand longer{.words = command.words, .command = &one};
    longer.words.push_back(one.name);
    others += fmt::format("{}(1), ", bold(page_name(longer)));
  }
  if (!command.words.empty()) others += fmt::format("{}(1), ", bold(program.name));
  return page + fmt::format("{}{}(5)\n", others, bold("megascale.toml"));
}

std::string man_page_of_keys() {
  std::string page =
      head("megascale.toml", 5, "megascale.toml", "configuration of a training job of megascale");
  page +=
      ".SH DESCRIPTION\n"
      "A job is described by one file in TOML. Every key has a default. The option "
      "\\fB\\-\\-set\\fR "
      "\\fIsection.key=value\\fR overrides the file. "
      "\\fBmegascale config \\-\\-template\\fR prints a file with all keys.\n";
  const Config defaults;
  std::string_view section;
  for (const Field& field : config_fields()) {
    if (field.section != section) {
      section = field.section;
      page += fmt::format(".SH \"[{}]\"\n", section);
    }
    page += fmt::format(".TP\n{} = {}\n{}\n.br\n{}\n", bold(field.key),
                        plain(toml_value(field, defaults)), plain(field.meaning),
                        plain(describe_type(field)));
  }
  page += ".SH RULES\nA configuration must satisfy all of these.\n";
  for (const Rule& rule : config_rules()) page += fmt::format(".IP \\(bu 2\n{}\n", plain(rule.law));
  return page +
         fmt::format(".SH SEE ALSO\n{}(1), {}(1)\n", bold("megascale"), bold("megascale-config"));
}

}  // namespace megascale::cli
