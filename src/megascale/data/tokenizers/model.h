#ifndef MEGASCALE_DATA_TOKENIZERS_MODEL_H_
#define MEGASCALE_DATA_TOKENIZERS_MODEL_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "megascale/data/tokenizers/token_table.h"

namespace megascale::tokenizers {

// The part of a tokenizer that converts a normalized piece of text to ids. Thread safety: immutable
// after construction.
class Model {
 public:
  virtual ~Model() = default;
  // True if no token can reach from an ASCII letter or digit over to `mark`, a character.
  [[nodiscard]] virtual bool divides_before(std::string_view mark) const = 0;
  // Appends the ids of `piece`, which is valid UTF-8 and not empty.
  virtual void encode(std::string_view piece, std::vector<std::int32_t>& ids) const = 0;
};

// The ids of the 256 tokens <0x00> to <0xFF>, which stand for single bytes.
struct ByteTokens {
  std::array<std::int32_t, 256> ids{};  // TokenTable::kNone where there is no token
  explicit ByteTokens(const TokenTable& tokens);
  [[nodiscard]] bool has_all(std::string_view bytes) const noexcept;
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_MODEL_H_
