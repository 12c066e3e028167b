#ifndef MEGASCALE_DATA_TEXT_STREAM_H_
#define MEGASCALE_DATA_TEXT_STREAM_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/data/tokenizer.h"

namespace megascale {

// Decodes ids that arrive one by one, as a model generates them. The text of an id depends on its
// neighbours: a character may need several ids, and some tokenizers drop the first space of a text.
// One thread at a time.
class TextStream {
 public:
  // `before` are the ids before the first one, whose text is not returned. `tokenizer` must outlive
  // the object.
  TextStream(const Tokenizer& tokenizer, std::span<const std::int32_t> before);
  // Returns the text that became final with this id, which may be empty. Throws Error (bad_input)
  // for an id outside of the vocabulary.
  [[nodiscard]] std::string push(std::int32_t id);
  // Returns the rest of the text, which may be an unfinished character.
  [[nodiscard]] std::string finish();

 private:
  const Tokenizer& tokenizer_;
  std::vector<std::int32_t> ids_;  // that are decoded together
  std::size_t returned_ = 0;       // bytes of their text
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_TEXT_STREAM_H_
