#include "megascale/data/text_checks.h"

#include <fmt/format.h>

#include "megascale/base/utf8.h"

namespace megascale {

std::string wrong_byte(std::string_view place, std::uint64_t offset, std::string_view expected,
                       char found) {
  return fmt::format("{}: byte {}: expected {}, found 0x{:02X}", place, offset, expected,
                     static_cast<unsigned>(static_cast<unsigned char>(found)));
}

std::optional<std::string> find_wrong_byte(std::string_view text, const Tokenizer& tokenizer,
                                           std::string_view name, std::uint64_t offset) {
  const std::size_t valid = valid_utf8_prefix(text), reserved = tokenizer.reserved_at(text);
  if (reserved < valid) return wrong_byte(name, offset + reserved, kNoReservedByte, text[reserved]);
  if (valid < text.size()) return wrong_byte(name, offset + valid, "UTF-8", text[valid]);
  return std::nullopt;
}

}  // namespace megascale
