#ifndef MEGASCALE_KERNELS_CPU_NORM_H_
#define MEGASCALE_KERNELS_CPU_NORM_H_

#include <cstddef>

// LayerNorm and RMSNorm over channels, forward and backward. N tokens, C channels; row-major,
// packed, float32. Sums are in float over 64 lanes that are folded by halves. u = 2^-24; K = C / 64
// + 8 is the number of additions in the chain of a sum. Bits do not depend on the number of threads
// or the vector target. Needs C >= 1, eps > 0: checked when the plan is built, not here.
namespace megascale::kernels::cpu {

// LayerNorm:  y = (x - mean) rstd gamma + beta
//             mean[n] = mean_c x,  rstd[n] = 1 / sqrt(mean_c (x - mean)^2 + eps)
// RMSNorm:    y = x rstd gamma,    rstd[n] = 1 / sqrt(mean_c x^2 + eps)
// Alias   y may be x; nothing else may overlap.
// Cost    8 N C flops; moves 2 N C floats: memory bound (a row is read once from memory).
// Error   LayerNorm: |y - exact| <= (K + 6) u (|y - beta| + |gamma| (1 + |mean| rstd)) + 2 u |y|
//         RMSNorm: relative, at most (K + 6) u.
// Source  Ba, Kiros and Hinton 2016 (arXiv 1607.06450); Zhang and Sennrich 2019 (arXiv 1910.07467).
struct NormForward {
  std::size_t tokens = 0, channels = 0;
  const float* x = nullptr;
  const float* gamma = nullptr;  // (C)
  const float* beta = nullptr;   // (C), LayerNorm only; or null
  float* y = nullptr;
  float* mean = nullptr;  // (N), LayerNorm only
  float* rstd = nullptr;  // (N)
  float eps = 1e-5F;
  float gamma_offset = 0;  // RMSNorm only: added to gamma
};
void layer_norm_forward(const NormForward& args) noexcept;
void rms_norm_forward(const NormForward& args) noexcept;

// With g = dy gamma and z = (x - mean) rstd (RMSNorm: z = x rstd):
//   dx = rstd (g - mean_c(g) - z mean_c(g z)) + addend          (RMSNorm: without mean_c(g))
//   dgamma[c] (+)= sum_n dy z,   dbeta[c] (+)= sum_n dy
// addend (N, C) or null is the gradient that arrives over the residual path.
// Alias   dx may be dy, x or addend.
// Cost    about 14 N C flops; moves 3 N C floats (4 with addend): memory bound.
// Error   dx: (2 K + 14) u rstd (|g| + mean|g| + |z| mean|g z|) + u |dx|
//         dgamma: (B + 75) u sum_n |dy| (|z| + |mean| rstd);  dbeta: (B + 65) u sum_n |dy|
//         with B = max(16, N / 64). The errors of the given mean and rstd are not included.
struct NormBackward {
  std::size_t tokens = 0, channels = 0;
  const float* dy = nullptr;
  const float* x = nullptr;
  const float* gamma = nullptr;
  const float* mean = nullptr;  // LayerNorm only
  const float* rstd = nullptr;
  const float* addend = nullptr;
  float* dx = nullptr;
  float gamma_offset = 0;    // RMSNorm only: added to gamma
  float* dgamma = nullptr;   // or null: it is not wanted
  float* dbeta = nullptr;    // LayerNorm only; or null
  bool accumulate = false;   // add to dgamma and dbeta instead of writing them
  float* scratch = nullptr;  // norm_backward_scratch_bytes()
};
void layer_norm_backward(const NormBackward& args) noexcept;
void rms_norm_backward(const NormBackward& args) noexcept;
[[nodiscard]] std::size_t norm_backward_scratch_bytes(std::size_t tokens,
                                                      std::size_t channels) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_NORM_H_
