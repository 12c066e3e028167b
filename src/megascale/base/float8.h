#ifndef MEGASCALE_BASE_FLOAT8_H_
#define MEGASCALE_BASE_FLOAT8_H_

#include <array>
#include <cstdint>
#include <limits>

// The values of 8-bit codes in the format E4M3 (arXiv 2209.05433; "float8_e4m3fn" elsewhere): sign, 4 bits
// of exponent (bias 7), 3 bits of mantissa. There is no infinity; the largest value is 448, the
// smallest above zero 2^-9.
namespace megascale {

// The code of NaN, also with the sign bit.
inline constexpr std::uint8_t kE4m3Nan = 0x7F;

// Returns the value of a code; float32 has all of them.
[[nodiscard]] constexpr float e4m3_value(std::uint8_t code) noexcept {
  const unsigned exponent = code >> 3U & 15U, mantissa = code & 7U;
  float value = static_cast<float>(exponent == 0 ? mantissa : mantissa + 8) * 0x1p-9F;
  for (unsigned e = 1; e < exponent; ++e) value *= 2;
  if ((code & kE4m3Nan) == kE4m3Nan) value = std::numeric_limits<float>::quiet_NaN();
  return (code & 128U) != 0 ? -value : value;
}

// The value of every code.
inline constexpr std::array<float, 256> kE4m3Values = [] {
  std::array<float, 256> values{};
  for (unsigned code = 0; code < 256; ++code)
    values[code] = e4m3_value(static_cast<std::uint8_t>(code));
  return values;
}();

}  // namespace megascale

#endif  // MEGASCALE_BASE_FLOAT8_H_
