#ifndef MEGASCALE_BASE_UTF8_H_
#define MEGASCALE_BASE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace megascale {

// Returns the length in bytes of the longest prefix of `text` that consists of complete, valid
// UTF-8 characters. It equals text.size() if all of the text is valid. Valid means Unicode 15,
// table 3-7: no surrogates, no code point above U+10FFFF, no overlong encodings.
[[nodiscard]] constexpr std::size_t valid_utf8_prefix(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto byte = [&](std::size_t k) -> unsigned {
      return static_cast<unsigned char>(text[i + k]);
    };
    const unsigned lead = byte(0);
    std::size_t size = 1;
    unsigned second_min = 0x80, second_max = 0xBF;
    if (lead >= 0x80) {
      if (lead < 0xC2 || lead > 0xF4) return i;
      size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      if (lead == 0xE0) second_min = 0xA0;
      if (lead == 0xED) second_max = 0x9F;
      if (lead == 0xF0) second_min = 0x90;
      if (lead == 0xF4) second_max = 0x8F;
      if (text.size() - i < size || byte(1) < second_min || byte(1) > second_max) return i;
      for (std::size_t k = 2; k < size; ++k) {
        if (byte(k) < 0x80 || byte(k) > 0xBF) return i;
      }
    }
    i += size;
  }
  return i;
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_UTF8_H_
