#ifndef MEGASCALE_KERNELS_CPU_FEW_ROWS_H_
#define MEGASCALE_KERNELS_CPU_FEW_ROWS_H_

#include <cstddef>

// Forward products on vector units for few rows, such as those of an expert. float32.
//
//   y[r, o] = sum_i x[r, i] w[o, i]
//
// Weights are read where they lie, once for every 64 rows, since packing them would take as long as
// multiplying some dozen rows. Rows are packed instead.
//
// Error    at most in u sum_i |x_i| |w_i|: an element is one chain of multiply-adds in order of i, which
//          begins with 0 or with the old content.
// Bits     of an element depend on its row and its weights alone; also on whether the processor has
//          fused multiply-adds.
namespace megascale::kernels::cpu {

struct FewRowsProduct {
  const float* x = nullptr;  // [rows, in]
  const float* w = nullptr;  // [out, in]
  float* y = nullptr;        // [rows, out], overlaps nothing
  std::size_t rows = 0, in = 0, out = 0;
  bool accumulate = false;  // add to the old content of y
};

// Returns the bytes of scratch of one thread, for any product.
[[nodiscard]] std::size_t few_rows_scratch_bytes() noexcept;

// Computes the outputs [first, last) of all rows on the calling thread. `scratch` has
// few_rows_scratch_bytes(), aligned to 64. Several threads may compute different outputs of a product.
void multiply_few_rows(const FewRowsProduct& product, std::size_t first, std::size_t last,
                       std::byte* scratch) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FEW_ROWS_H_
