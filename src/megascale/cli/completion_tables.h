#ifndef MEGASCALE_CLI_COMPLETION_TABLES_H_
#define MEGASCALE_CLI_COMPLETION_TABLES_H_

#include <string>
#include <string_view>
#include <vector>

#include "megascale/cli/command_words.h"

// What the completion scripts of bash and zsh have in common. Both find the command before the cursor,
// then offer the values of the option before the cursor, or options and commands. Where nothing is
// offered the shell completes names of files. The tables come from the commands and from the table of
// configuration keys.
namespace megascale::cli {

// Returns `text` in single quotes, as one word of both shells.
[[nodiscard]] std::string shell_word(std::string_view text);
// Returns a line of a case statement: `'a' | 'b') ACTION ;;`.
[[nodiscard]] std::string case_line(const std::vector<std::string>& patterns,
                                    const std::string& action);
// Returns the shell's assignment of these words to `values`.
[[nodiscard]] std::string set_values(const std::vector<std::string>& values);

// Lines of case statements.
struct CompletionTables {
  std::string commands;      // take the words of a command as the command
  std::string choices;       // by option, its values
  std::string with_a_value;  // options whose value is a name of a file, a number or a text
  std::string key_values;    // by key, its values
};
[[nodiscard]] CompletionTables completion_tables(const std::vector<NamedCommand>& commands);

// A word that may follow a command: one of its commands, a value of its argument, an option.
struct Offer {
  std::string word, what;
};
[[nodiscard]] std::vector<Offer> offers_of(const CommandWords& command);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_COMPLETION_TABLES_H_
