#ifndef MEGASCALE_KERNELS_CPU_SOFT_CAP_H_
#define MEGASCALE_KERNELS_CPU_SOFT_CAP_H_

#include <cstddef>

// The soft cap of logits (Gemma 2, arXiv 2408.00118, section 2). N tokens, C columns; row-major,
// packed, float32. Bits do not depend on the number of threads or the vector target. NaN in gives NaN
// out.
namespace megascale::kernels::cpu {

// y = cap tanh(x / cap)
// Alias   y may be x.
// Cost    about 30 N C flops; moves 2 N C floats: memory bound.
// Error   relative, at most 6 u, u = 2^-24.
struct SoftCapForward {
  std::size_t tokens = 0, channels = 0;
  float cap = 1;
  const float* x = nullptr;
  float* y = nullptr;
};
void soft_cap_forward(const SoftCapForward& args) noexcept;

// dx = dy (1 - (y / cap)^2)
// Alias   dx may be dy or y.
// Error   |dx - exact| <= 4 u |dy|. The error of the given y is not included.
struct SoftCapBackward {
  std::size_t tokens = 0, channels = 0;
  float cap = 1;
  const float* dy = nullptr;
  const float* y = nullptr;
  float* dx = nullptr;
};
void soft_cap_backward(const SoftCapBackward& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_SOFT_CAP_H_
