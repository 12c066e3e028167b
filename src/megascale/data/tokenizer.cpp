// The byte tokenizer, and the choice of a tokenizer by its configured name.
#include "megascale/data/tokenizer.h"

#include <fmt/format.h>

#include "megascale/base/error.h"

namespace megascale {

std::size_t Tokenizer::separable_prefix(std::string_view /*text*/) const { return 0; }

std::size_t Tokenizer::reserved_at(std::string_view /*text*/) const {
  return std::string_view::npos;
}

void ByteTokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  ids.resize(before + text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    ids[before + i] = static_cast<unsigned char>(text[i]);
  }
}

std::string ByteTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  text.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] > 255) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("position {}: expected a token id from 0 to 255, found {}", i, ids[i]));
    }
    text += static_cast<char>(ids[i]);
  }
  return text;
}

std::unique_ptr<const Tokenizer> open_tokenizer(const std::string& name) {
  if (name == "byte") return std::make_unique<ByteTokenizer>();
  throw Error(
      ErrorCode::unsupported,
      fmt::format(
          "tokenizer: expected \"byte\", found \"{}\": this version cannot read tokenizer files",
          name));
}

}  // namespace megascale
