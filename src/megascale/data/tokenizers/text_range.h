#ifndef MEGASCALE_DATA_TOKENIZERS_TEXT_RANGE_H_
#define MEGASCALE_DATA_TOKENIZERS_TEXT_RANGE_H_

#include <cstddef>
#include <string_view>

namespace megascale::tokenizers {

// A range of bytes of a text.
struct TextRange {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::string_view of(std::string_view text) const {
    return text.substr(begin, end - begin);
  }
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_TEXT_RANGE_H_
