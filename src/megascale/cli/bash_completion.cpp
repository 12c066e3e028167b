#include <fmt/format.h>
#include <fmt/ranges.h>

#include "megascale/cli/completion_tables.h"
#include "megascale/config/fields.h"

namespace megascale::cli {
namespace {

constexpr const char* kBash =
    R"(# Completion of megascale for bash, written by `megascale completion bash`.
_megascale_keys={keys}

# Sets `values` to the values of a configuration key.
_megascale_values() {{
  case $1 in
{key_values}  esac
}}

_megascale() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' longer values='' files='' key='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    longer="${{command:+$command }}${{COMP_WORDS[i]}}"
    case $longer in
{commands}    esac
  done

  # bash takes `--set key=value` as the words `--set`, `key`, `=` and `value`.
  if [[ $before == --set && $current != '=' ]]; then
    COMPREPLY=($(compgen -W "$_megascale_keys" -S = -- "$current"))
    compopt -o nospace 2>/dev/null
    return
  fi
  if [[ $current == '=' && $COMP_CWORD -ge 3 && ${{COMP_WORDS[COMP_CWORD - 2]}} == --set ]]; then
    key=$before current=''
  elif [[ $before == '=' && $COMP_CWORD -ge 4 && ${{COMP_WORDS[COMP_CWORD - 3]}} == --set ]]; then
    key=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if [[ -n $key ]]; then
    _megascale_values "$key"
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi

  case "${{command:+$command }}$before" in
{choices}{with_a_value}  esac
  if [[ -n $files ]]; then return; fi
  if [[ -z $values ]]; then
    case $command in
{offers}    esac
  fi
  COMPREPLY=($(compgen -W "$values" -- "$current"))
}}
complete -o default -F _megascale megascale
)";

}  // namespace

std::string bash_completion(const CommandWords& program) {
  const auto commands = all_commands(program);
  const CompletionTables tables = completion_tables(commands);
  std::vector<std::string> keys;
  for (const Field& field : config_fields()) keys.push_back(full_name(field));
  std::string offers;
  for (const NamedCommand& command : commands) {
    std::vector<std::string> words;
    for (const Offer& offer : offers_of(*command.command)) words.push_back(offer.word);
    offers += "  " + case_line({command.joined(" ")}, set_values(words));
  }
  return fmt::format(kBash, fmt::arg("keys", shell_word(fmt::format("{}", fmt::join(keys, " ")))),
                     fmt::arg("key_values", tables.key_values),
                     fmt::arg("commands", "  " + tables.commands),
                     fmt::arg("choices", tables.choices),
                     fmt::arg("with_a_value", tables.with_a_value), fmt::arg("offers", offers));
}

}  // namespace megascale::cli
