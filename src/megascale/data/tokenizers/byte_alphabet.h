#ifndef MEGASCALE_DATA_TOKENIZERS_BYTE_ALPHABET_H_
#define MEGASCALE_DATA_TOKENIZERS_BYTE_ALPHABET_H_

#include <optional>
#include <string>
#include <string_view>

// The alphabet of byte-level tokenizers (GPT-2): each of the 256 bytes is written as one printable
// character, so that tokens which are no UTF-8 can stand in a JSON file.
namespace megascale::tokenizers {

// Returns the character of a byte, as UTF-8.
[[nodiscard]] std::string_view character_of_byte(unsigned char byte) noexcept;
// Returns the characters of all bytes of `text`.
[[nodiscard]] std::string to_byte_alphabet(std::string_view text);
// Returns the bytes of `characters`, valid UTF-8, or nothing if one is not of the alphabet.
[[nodiscard]] std::optional<std::string> from_byte_alphabet(std::string_view characters);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_BYTE_ALPHABET_H_
