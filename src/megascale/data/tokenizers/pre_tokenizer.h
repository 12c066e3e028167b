#ifndef MEGASCALE_DATA_TOKENIZERS_PRE_TOKENIZER_H_
#define MEGASCALE_DATA_TOKENIZERS_PRE_TOKENIZER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "megascale/data/tokenizers/regex.h"

// The steps that divide a normalized text into pieces. No token crosses the border of two pieces.
// Each step is a component of a tokenizer.json, and divides every piece of the step before.
namespace megascale::tokenizers {

// How the matches of a pattern divide a text.
enum class SplitBehavior : std::uint8_t {
  isolated,              // a piece each
  removed,               // dropped
  merged_with_previous,  // the end of the piece before
  merged_with_next,      // the beginning of the piece after
  contiguous             // one piece for all neighbouring matches
};
struct Split {
  Regex pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool inverted = false;  // what lies between the matches counts as match
};
// Puts a space before a piece that does not begin with one.
struct PrefixSpace {};
// Replaces spaces by a mark (SentencePiece), and may put the mark before the text.
struct Metaspace {
  enum class Prefix : std::uint8_t { always, first, never };
  std::string mark;
  Prefix prefix = Prefix::always;
};
using PreTokenizerStep = std::variant<Split, PrefixSpace, Metaspace>;

class PreTokenizer {
 public:
  explicit PreTokenizer(std::vector<PreTokenizerStep> steps) : steps_(std::move(steps)) {}
  // Takes a piece, which is not empty, and whether it is at the beginning of the document.
  using Sink = std::function<void(std::string_view piece, bool is_first)>;
  // Passes the pieces of `text`, valid UTF-8, to `sink` in order. `is_first` says whether `text` is
  // at the beginning of the document.
  void run(std::string_view text, bool is_first, const Sink& sink) const;
  [[nodiscard]] const std::vector<PreTokenizerStep>& steps() const noexcept { return steps_; }

 private:
  void run_from(std::size_t step, std::string_view text, bool is_first, const Sink& sink) const;
  std::vector<PreTokenizerStep> steps_;
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_PRE_TOKENIZER_H_
