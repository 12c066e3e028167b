#include <fmt/format.h>
#include <fmt/ranges.h>

#include "megascale/cli/completion_tables.h"
#include "megascale/config/fields.h"

namespace megascale::cli {
namespace {

constexpr const char* kZsh = R"(#compdef megascale
# Completion of megascale for zsh, written by `megascale completion zsh`.
_megascale_values() {{
  case $1 in
{key_values}  esac
}}

_megascale() {{
  local current=${{words[CURRENT]}} before=${{words[CURRENT - 1]}}
  local command='' longer values='' files='' i
  local -a offers keys
  for ((i = 2; i < CURRENT; i++)); do
    longer="${{command:+$command }}${{words[i]}}"
    case $longer in
{commands}    esac
  done

  if [[ $before == --set ]]; then
    if [[ $current == *=* ]]; then
      _megascale_values "${{current%%=*}}"
      compset -P '*='
      compadd -- ${{=values}}
    else
      keys=(
{keys}      )
      _describe key keys -S = -q
    fi
    return
  fi

  case "${{command:+$command }}$before" in
{choices}{with_a_value}  esac
  if [[ -n $files ]]; then
    _files
    return
  fi
  if [[ -n $values ]]; then
    compadd -- ${{=values}}
    return
  fi
  case $command in
{offers}  esac
  _describe word offers
  if [[ $current != -* ]]; then _files; fi
}}

if [[ ${{funcstack[1]}} == _megascale ]]; then
  _megascale "$@"
else
  compdef _megascale megascale
fi
)";

// zsh separates a word from its description by a colon.
std::string described(const std::string& word, const std::string& what) {
  std::string escaped;
  for (const char c : word) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return shell_word(escaped + ":" + what);
}

std::string first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  return std::string(
      text.substr(0, end == std::string_view::npos ? text.find_last_not_of('.') + 1 : end));
}

}  // namespace

std::string zsh_completion(const CommandWords& program) {
  const auto commands = all_commands(program);
  const CompletionTables tables = completion_tables(commands);
  std::string keys, offers;
  for (const Field& field : config_fields())
    keys += fmt::format("        {}\n", described(full_name(field), first_sentence(field.meaning)));
  for (const NamedCommand& command : commands) {
    std::vector<std::string> words;
    for (const Offer& offer : offers_of(*command.command))
      words.push_back(described(offer.word, offer.what));
    offers += case_line({command.joined(" ")},
                        fmt::format("offers=(\n      {})", fmt::join(words, "\n      ")));
  }
  return fmt::format(kZsh, fmt::arg("keys", keys), fmt::arg("key_values", tables.key_values),
                     fmt::arg("commands", "  " + tables.commands),
                     fmt::arg("choices", tables.choices),
                     fmt::arg("with_a_value", tables.with_a_value), fmt::arg("offers", offers));
}

}  // namespace megascale::cli
