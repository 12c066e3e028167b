#ifndef MEGASCALE_KERNELS_CPU_PRODUCT_SHAPE_H_
#define MEGASCALE_KERNELS_CPU_PRODUCT_SHAPE_H_

#include <cstddef>

namespace megascale::kernels::cpu {

// result [m, n] = left [m, k] right [k, n]; strides in floats. One stride of each operand is 1, and
// so is that between columns of the result.
struct ProductShape {
  std::size_t m = 0, n = 0, k = 0;
  std::size_t left_row = 0, left_column = 0, right_row = 0, right_column = 0, result_row = 0;
};

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_PRODUCT_SHAPE_H_
