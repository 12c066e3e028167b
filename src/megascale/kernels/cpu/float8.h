#ifndef MEGASCALE_KERNELS_CPU_FLOAT8_H_
#define MEGASCALE_KERNELS_CPU_FLOAT8_H_

#include <cstddef>
#include <cstdint>

// Quantisation to E4M3: sign, 4 bits of exponent (bias 7), 3 bits of mantissa; the largest value is
// 448, the smallest above zero 2^-9; the codes 0x7F and 0xFF are NaN. The CPU computes in float32,
// so these kernels are the exact definition of what compressed communication and 8-bit training do
// to a tensor. Matrices are row-major and packed. Bits do not depend on the number of threads or
// the vector target.
// Source  arXiv 2209.05433 (format); arXiv 2505.11432, 7.2 and 7.3 (scales per token, and per
//         channel over groups of 128 tokens).
namespace megascale::kernels::cpu {

// A group of values has one factor, chosen such that its largest value uses the whole range:
//   factor  = min(448 / max |x|, 1e30); 1 if all values are zero; NaN if one is not finite
//   code    = factor x, rounded to the nearest value of the format, ties to even. What exceeds 448
//             becomes 448 with its sign; NaN becomes NaN
//   inverse = 1 / factor
// So NaN and infinities stay visible: all codes of their group are NaN.
struct Quantise {
  std::size_t rows = 0, columns = 0;
  const float* x = nullptr;       // (rows, columns)
  std::uint8_t* codes = nullptr;  // (rows, columns)
  float* inverses = nullptr;      // one per group
};
// The values read back: y = value of the code, times the inverse of its group.
struct Dequantise {
  std::size_t rows = 0, columns = 0;
  const std::uint8_t* codes = nullptr;  // (rows, columns)
  const float* inverses = nullptr;      // one per group
  float* y = nullptr;                   // (rows, columns)
  bool add = false;                     // y += the values, instead of y = the values
};

// Return the largest magnitude of values, where NaN is larger than infinity, and the factor of a group
// with this one. Write the codes of values for a given factor. With these a group may be quantised in
// parts; the codes are those that quantise_rows() gives the whole group.
[[nodiscard]] float larger_magnitude(float a, float b) noexcept;
[[nodiscard]] float largest_magnitude(const float* x, std::size_t count) noexcept;
[[nodiscard]] float float8_factor(float largest) noexcept;
void encode_float8(const float* x, std::size_t count, float factor, std::uint8_t* codes) noexcept;

// Groups are rows: one factor per token; inverses (rows).
// Alias   nothing overlaps.
// Cost    moves 9 bytes per value, or 5 back: memory bound.
// Error   of a value read back: at most max(2^-4 |x|, 2^-10 inverse) (1 + 2^-20).
void quantise_rows(const Quantise& args) noexcept;
void dequantise_rows(const Dequantise& args) noexcept;
// Groups are `group` consecutive rows; inverses (rows / group).
void dequantise_row_groups(const Dequantise& args, std::size_t group) noexcept;

// Groups are pieces of columns: rows [g group, (g + 1) group) of one column; inverses
// (ceil(rows / group), columns). Otherwise as the above.
inline constexpr std::size_t kTokenGroup = 128;  // the example of the paper
void quantise_columns(const Quantise& args, std::size_t group = kTokenGroup) noexcept;
void dequantise_columns(const Dequantise& args, std::size_t group = kTokenGroup) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FLOAT8_H_
