#ifndef MEGASCALE_DATA_TOKENIZERS_PATTERNS_H_
#define MEGASCALE_DATA_TOKENIZERS_PATTERNS_H_

#include <span>
#include <string_view>
#include <utility>

namespace megascale::tokenizers {

// A published encoding: its pattern, and the special tokens that stand beside its rank file.
struct NamedEncoding {
  std::string_view name;
  std::string_view pattern;  // in the dialect of tokenizer files
  std::span<const std::pair<std::string_view, int>> special_tokens;
  std::string_view eod;
};
// Returns the encoding with this name, such as "o200k_base", or null.
[[nodiscard]] const NamedEncoding* find_encoding(std::string_view name) noexcept;
// All names, separated by commas, for messages.
[[nodiscard]] std::string_view encoding_names() noexcept;

// The pattern of GPT-2, which ByteLevel uses where it has to divide a text itself.
extern const std::string_view kGpt2Pattern;

// True for patterns whose matches never hold a letter or digit beside white space, nor look further
// than one character beyond such a place: a text can be cut there.
[[nodiscard]] bool allows_cuts(std::string_view pattern) noexcept;
// True for those of them that divide a text completely, so that there is a border at each cut.
[[nodiscard]] bool divides_words(std::string_view pattern) noexcept;

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_PATTERNS_H_
