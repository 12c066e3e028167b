// Printable bytes of Latin-1 are written as themselves, the others as U+0100 and the next ones.
#include "megascale/data/tokenizers/byte_alphabet.h"

#include <array>

#include "megascale/data/tokenizers/unicode.h"

namespace megascale::tokenizers {
namespace {

constexpr std::size_t kCodePoints = 0x100 + 68;  // 68 bytes are not printable

struct Alphabet {
  std::array<std::string, 256> characters;
  std::array<int, kCodePoints> bytes{};  // -1: not of the alphabet

  Alphabet() {
    bytes.fill(-1);
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool is_printable =
          (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      const char32_t code_point = is_printable ? byte : next++;
      append_utf8(characters[byte], code_point);
      bytes[code_point] = static_cast<int>(byte);
    }
  }
};
const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

std::string_view character_of_byte(unsigned char byte) noexcept {
  return alphabet().characters[byte];
}

std::string to_byte_alphabet(std::string_view text) {
  std::string characters;
  characters.reserve(2 * text.size());
  for (const char c : text) characters += character_of_byte(static_cast<unsigned char>(c));
  return characters;
}

std::optional<std::string> from_byte_alphabet(std::string_view characters) {
  const auto& bytes = alphabet().bytes;
  std::string text;
  text.reserve(characters.size());
  for (; !characters.empty(); characters.remove_prefix(utf8_size(characters[0]))) {
    const char32_t c = utf8_code_point(characters);
    if (c >= bytes.size() || bytes[c] < 0) return std::nullopt;
    text += static_cast<char>(bytes[c]);
  }
  return text;
}

}  // namespace megascale::tokenizers
