#ifndef MEGASCALE_DATA_TOKENIZERS_NORMALIZER_H_
#define MEGASCALE_DATA_TOKENIZERS_NORMALIZER_H_

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "megascale/data/tokenizers/regex.h"
#include "megascale/data/tokenizers/unicode.h"

// The steps that change a text before it is divided. Each is a component of a tokenizer.json.
namespace megascale::tokenizers {

struct Replace {
  Regex pattern;
  std::string content;
  bool is_of_spaces = false;  // the pattern is one space
};
struct Prepend {
  std::string text;  // before every text that is not empty
};
struct Strip {
  bool left = false, right = false;  // where white space is removed
};
struct Lowercase {};
using NormalizerStep = std::variant<NormalForm, Replace, Prepend, Strip, Lowercase>;

// Replaces every match of `pattern` in `text` by `content`. The text is valid UTF-8.
void replace_all(std::string& text, const Regex& pattern, const std::string& content);
// Steps of a hostile file could double a text again and again. A text of `nbytes` may grow to
// size_limit(nbytes); Unicode's own steps need a third of it. check_size() throws Error (bad_input).
[[nodiscard]] std::size_t size_limit(std::size_t nbytes) noexcept;
void check_size(std::size_t nbytes, std::size_t limit);
// Applies the steps in order. The text is valid UTF-8 before and after. `continues`: the text
// continues another one, so that Prepend adds nothing.
void normalize(std::string& text, const std::vector<NormalizerStep>& steps, bool continues = false);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_NORMALIZER_H_
