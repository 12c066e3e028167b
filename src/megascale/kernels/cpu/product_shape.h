#ifndef MEGASCALE_KERNELS_CPU_PRODUCT_SHAPE_H_
#define MEGASCALE_KERNELS_CPU_PRODUCT_SHAPE_H_

#include <cstddef>

namespace megascale::kernels::cpu {

// The shape of a matrix product: result [m, n] = left [m, k] right [k, n]. Strides in floats. Each
// of left and right has one stride of 1; the columns of the result have stride 1.
struct ProductShape {
  std::size_t m = 0, n = 0, k = 0;
  std::size_t left_row = 0, left_column = 0, right_row = 0, right_column = 0, result_row = 0;
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_PRODUCT_SHAPE_H_
