#ifndef MEGASCALE_DATA_TOKENIZERS_ADDED_TOKENS_H_
#define MEGASCALE_DATA_TOKENIZERS_ADDED_TOKENS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/data/tokenizers/text_range.h"
#include "megascale/data/tokenizers/token_table.h"

namespace megascale::tokenizers {

// A token that is found in a text as it is written, before the text is divided and merged.
struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool single_word = false;             // only where no word character stands beside it
  bool lstrip = false, rstrip = false;  // it takes the white space before or after it
  bool normalized = false;              // it is looked for in the normalized text
  bool special = false;                 // it marks a place, such as the end of a document
};

// Finds added tokens in texts: the leftmost, and of those the longest. Thread safety: immutable
// after construction.
class AddedTokenFinder {
 public:
  // `tokens` without empty contents.
  explicit AddedTokenFinder(std::vector<AddedToken> tokens);
  [[nodiscard]] bool empty() const noexcept { return tokens_.empty(); }
  // Passes the parts of `text` in order: a token with its id, or text between tokens with the id
  // TokenTable::kNone. Parts are not empty.
  using Sink = std::function<void(TextRange part, std::int32_t id)>;
  void run(std::string_view text, const Sink& sink) const;

 private:
  // Returns the longest token at the beginning of `text`, or null.
  [[nodiscard]] const AddedToken* longest_at(std::string_view text) const noexcept;

  std::vector<AddedToken> tokens_;
  TokenTable by_content_;             // content to index in tokens_
  std::vector<std::size_t> lengths_;  // of contents, the longest first
  std::array<bool, 256> begins_{};    // whether a content begins with the byte
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_ADDED_TOKENS_H_
