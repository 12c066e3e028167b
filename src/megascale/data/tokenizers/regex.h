#ifndef MEGASCALE_DATA_TOKENIZERS_REGEX_H_
#define MEGASCALE_DATA_TOKENIZERS_REGEX_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/data/tokenizers/text_range.h"

namespace megascale::tokenizers {

// A regular expression over UTF-8 text, compiled to machine code by PCRE2. Classes such as \p{L}
// follow PCRE2's Unicode tables. Thread safety: immutable; threads may share it.
class Regex {
 public:
  // `pattern` is in PCRE2's syntax (see to_pcre2()). Throws Error (bad_input) with the pattern and
  // the place of the mistake.
  explicit Regex(const std::string& pattern);
  Regex(Regex&&) noexcept = default;
  Regex& operator=(Regex&&) noexcept = default;
  ~Regex() = default;
  // Returns the first match in `text` that begins at byte `from` or later. `text` must be valid
  // UTF-8, and `from` the beginning of a character or the end. Throws Error (bad_input) if the
  // search exceeds PCRE2's limits.
  [[nodiscard]] std::optional<TextRange> find(std::string_view text, std::size_t from) const;

 private:
  struct CodeDeleter {
    void operator()(void* code) const noexcept;
  };
  std::unique_ptr<void, CodeDeleter> code_;
};

// Translates a pattern of the Oniguruma or Rust dialect, which tokenizer files use, to PCRE2's.
// White space \s becomes Unicode's White_Space (PCRE2's own class differs by U+180E). Throws Error
// (bad_input), which names the construct, if its meaning in PCRE2 is different or unknown.
[[nodiscard]] std::string to_pcre2(std::string_view pattern);
// Returns a pattern that matches exactly `text`.
[[nodiscard]] std::string quote_for_pcre2(std::string_view text);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_REGEX_H_
