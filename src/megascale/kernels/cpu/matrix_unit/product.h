#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PRODUCT_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PRODUCT_H_

#include <cstddef>

#include "megascale/kernels/cpu/product_shape.h"

// float32 products on the matrix unit (decision 0013). Each operand value is the sum of three
// bfloat16 parts; six products of parts are summed in float32.
//
// Error    at most (K + 2) u sum_k |left_k| |right_k|, as in kernels/cpu/gemm.h: the unit sums
//          chains of 16 before it adds them, and the parts that are left out are at most u.
// Range    Parts below 2^-126 count as zero. So a value below 2^-110 loses its last bits, and a
//          denormal value all of them. Values from 3.39e38 on count as infinite. A non-finite value
//          stays non-finite, but an infinite value may become NaN.
// Bits     of an element depend on its row, its column and K alone: not on the other rows and
//          columns, the threads or the strides.
namespace megascale::kernels::cpu {

struct SplitOperands {
  const float* left = nullptr;
  const float* right = nullptr;
  const float* bias = nullptr;   // [n], or null
  float* result = nullptr;       // overlaps nothing
  std::byte* scratch = nullptr;  // split_scratch_bytes(), aligned to 64
  bool accumulate = false;       // add to the old content of the result
};

// Returns the bytes of scratch for a team of `threads`. They grow with each extent of the shape, so
// the scratch for the largest number of rows suffices for fewer.
[[nodiscard]] std::size_t split_scratch_bytes(const ProductShape& shape,
                                              std::size_t threads) noexcept;

// Computes the product on an OpenMP team of at most `threads`. With one thread it may be called by the
// members of a team, each for a product of its own. Needs matrix_unit_available() and
// extents of at least 1.
void split_product(const ProductShape& shape, const SplitOperands& operands,
                   std::size_t threads) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PRODUCT_H_
