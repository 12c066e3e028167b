#ifndef MEGASCALE_KERNELS_CPU_DOT_ROWS_H_
#define MEGASCALE_KERNELS_CPU_DOT_ROWS_H_

#include <cstddef>

// Forward products for the few rows of a step of decoding, on vector units. float32.
//
//   y[r, o] = sum_i x[r, i] w[o, i] (+ bias[o])
//
// The weights are read from memory once, at the speed of memory for one row: each element is a dot
// product of a row and a row of weights, both read where they lie.
//
// Cost     2 rows in out FLOPs; moves 4 in out bytes of weights. few_rows.h is faster for
//          more rows, but fills its vectors with rows.
// Error    at most (in / 8 + 8) u sum_i |x_i| |w_i|, plus u of the result with a bias.
// Bits     of an element depend on its row and its weights alone, not on the other rows. They differ
//          between vector targets.
// Alias    y overlaps nothing.
// Threads  the OpenMP team of the calling thread; it does not change bits.
namespace megascale::kernels::cpu {

// The most rows for which the forward products of decoding take this kernel. A step of at most so many
// rows therefore gives each of them the bits that it has alone.
inline constexpr std::size_t kDotRowsMost = 64;

struct DotRowsProduct {
  const float* x = nullptr;     // [rows, in]
  const float* w = nullptr;     // [out, in]
  const float* bias = nullptr;  // [out], or null
  float* y = nullptr;           // [rows, out]
  std::size_t rows = 0, in = 0, out = 0;
};

void multiply_dot_rows(const DotRowsProduct& product) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_DOT_ROWS_H_
