#ifndef MEGASCALE_KERNELS_CPU_FEW_ROWS_GRADIENT_H_
#define MEGASCALE_KERNELS_CPU_FEW_ROWS_GRADIENT_H_

#include <cstddef>

// Weight gradients on vector units for few rows, such as those of an expert. float32.
//
//   dw[o, i] = [dw[o, i] +] sum_r dy[r, o] x[r, i]
//
// With few rows the gradient itself is most of what is moved. It is read and written once, where it lies,
// and fetched ahead. The rows are packed.
//
// Error    at most rows u sum_r |dy_r| |x_r|: an element is one chain of multiply-adds in order of r, which
//          begins with 0 or with the old content.
// Bits     of an element depend on its rows alone; also on whether the processor has fused multiply-adds.
namespace megascale::kernels::cpu {

struct FewRowsGradient {
  const float* dy = nullptr;  // [rows, out]
  const float* x = nullptr;   // [rows, in]
  float* dw = nullptr;        // [out, in], overlaps nothing
  std::size_t rows = 0, in = 0, out = 0;
  bool accumulate = false;  // add to the old content of dw
};

// The most rows of a product. It has at least one.
inline constexpr std::size_t kMostRowsOfGradient = 128;
// Returns the bytes of scratch of one thread, for any product.
[[nodiscard]] std::size_t few_rows_gradient_scratch_bytes() noexcept;
// Computes the outputs [first, last) on the calling thread. `scratch` has few_rows_gradient_scratch_bytes(),
// aligned to 64. Several threads may compute different outputs of a product.
void multiply_few_rows_gradient(const FewRowsGradient& product, std::size_t first, std::size_t last,
                                std::byte* scratch) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FEW_ROWS_GRADIENT_H_
