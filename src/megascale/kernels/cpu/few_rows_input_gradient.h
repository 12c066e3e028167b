#ifndef MEGASCALE_KERNELS_CPU_FEW_ROWS_INPUT_GRADIENT_H_
#define MEGASCALE_KERNELS_CPU_FEW_ROWS_INPUT_GRADIENT_H_

#include <cstddef>

// Input gradients on vector units for few rows, such as those of an expert. float32.
//
//   dx[r, i] = [dx[r, i] +] sum_o dy[r, o] w[o, i]
//
// With AVX-512 weights are read where they lie, and the gradients of 64 rows at a time are packed. Else weights
// are packed a panel at a time, which stays in the first-level cache while up to 256 rows are multiplied
// with it. Both fetch meanwhile what they read next.
//
// Error    at most out u sum_o |dy_o| |w_o|: an element is one chain of multiply-adds, in order of o, or
//          a sum of chains of 256.
// Bits     of an element depend on its row and the weights alone; also on the processor's vectors.
namespace megascale::kernels::cpu {

struct FewRowsInputGradient {
  const float* dy = nullptr;  // [rows, out]
  const float* w = nullptr;   // [out, in]
  float* dx = nullptr;        // [rows, in], overlaps nothing
  std::size_t rows = 0, in = 0, out = 0;
  bool accumulate = false;  // add to the old content of dx
};

// Returns with how many rows at most this processor computes products of so many inputs faster here than by
// oneDNN (measured: decision 0031).
[[nodiscard]] std::size_t few_rows_input_gradient_most_rows(std::size_t in) noexcept;
// Returns the bytes of scratch of one thread, for any product.
[[nodiscard]] std::size_t few_rows_input_gradient_scratch_bytes() noexcept;
// Computes the inputs [first, last) of all rows on the calling thread. `scratch` has
// few_rows_input_gradient_scratch_bytes(), aligned to 64. Several threads may compute different
// inputs of a product.
void multiply_few_rows_input_gradient(const FewRowsInputGradient& product, std::size_t first,
                                      std::size_t last, std::byte* scratch) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FEW_ROWS_INPUT_GRADIENT_H_
