#ifndef MEGASCALE_DATA_TOKENIZERS_UNICODE_H_
#define MEGASCALE_DATA_TOKENIZERS_UNICODE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Functions on UTF-8 text that all tokenizers need.
namespace megascale::tokenizers {

// Returns the bytes of the character that begins with `lead`, in valid UTF-8.
[[nodiscard]] constexpr std::size_t utf8_size(char lead) noexcept {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Returns the code point at the beginning of `text`, which must be valid UTF-8 and not empty.
[[nodiscard]] constexpr char32_t utf8_code_point(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](std::size_t i) { return static_cast<char32_t>(byte(i) & 0x3F); };
  switch (utf8_size(text[0])) {
    case 1:
      return byte(0);
    case 2:
      return (static_cast<char32_t>(byte(0) & 0x1F) << 6) | tail(1);
    case 3:
      return (static_cast<char32_t>(byte(0) & 0x0F) << 12) | (tail(1) << 6) | tail(2);
    default:
      return (static_cast<char32_t>(byte(0) & 0x07) << 18) | (tail(1) << 12) | (tail(2) << 6) |
             tail(3);
  }
}

// Appends a code point as UTF-8. It must not be a surrogate, nor above U+10FFFF.
void append_utf8(std::string& text, char32_t code_point);

// Returns `text` with U+FFFD in place of each maximal part of an ill-formed sequence (Unicode 15,
// chapter 3.9; what browsers, Rust's from_utf8_lossy and Python's "replace" do).
[[nodiscard]] std::string replace_invalid_utf8(std::string_view text);

// True for Unicode's White_Space.
[[nodiscard]] bool is_white_space(char32_t code_point) noexcept;
// Returns the bytes of the white space at the beginning and at the end of valid UTF-8.
[[nodiscard]] std::size_t leading_white_space(std::string_view text) noexcept;
[[nodiscard]] std::size_t trailing_white_space(std::string_view text) noexcept;

enum class NormalForm : std::uint8_t { nfc, nfd, nfkc, nfkd };
// Replaces valid UTF-8 by its normal form, by ICU's tables.
void normalize(std::string& text, NormalForm form);
// Replaces each character of valid UTF-8 by its lower case, whatever its neighbours.
void to_lower(std::string& text);

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_UNICODE_H_
