#ifndef MEGASCALE_TESTS_CUDA_EMULATION_NUMBERS_H_
#define MEGASCALE_TESTS_CUDA_EMULATION_NUMBERS_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

// The number formats of device memory, for the stand-ins of NVIDIA's libraries.
namespace megascale::emulation {

inline float of_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}
// To nearest, ties to even. A NaN becomes the one that devices write, whatever its bits are: with the bits of poison, a
// product of poison would look like poison that nobody touched.
inline std::uint16_t to_bfloat16(float value) {
  if (std::isnan(value)) return 0x7FFF;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}
inline float of_float8(std::uint8_t bits, bool is_e5m2) {
  const int mantissa = is_e5m2 ? 2 : 3, bias = is_e5m2 ? 15 : 7;
  const int digits = bits & ((1 << mantissa) - 1), exponent = (bits & 0x7F) >> mantissa;
  const float sign = (bits & 0x80U) != 0 ? -1.0F : 1.0F;
  if (is_e5m2 ? exponent == 31 : (bits & 0x7F) == 0x7F) return NAN;
  const int hidden = exponent == 0 ? 0 : 1 << mantissa;
  return sign *
         std::ldexp(static_cast<float>(hidden + digits), std::max(exponent, 1) - bias - mantissa);
}

// Returns whether an address is a multiple of `alignment`.
inline bool is_aligned(const void* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

}  // namespace megascale::emulation

#endif  // MEGASCALE_TESTS_CUDA_EMULATION_NUMBERS_H_
