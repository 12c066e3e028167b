#ifndef MEGASCALE_KERNELS_CPU_HEAD_NORM_H_
#define MEGASCALE_KERNELS_CPU_HEAD_NORM_H_

#include <cstddef>

// RMSNorm of the query heads and key heads of packed rows, forward and backward. A row holds the
// query heads of a token, then its key heads, then its value heads. N tokens, H heads of both kinds
// that are normalised, HS channels of a head; float32. Bits do not depend on the number of threads
// or the vector target. Needs HS >= 1, eps > 0: checked when the plan is built, not here.
namespace megascale::kernels::cpu {

// The sizes that both directions share.
struct HeadNormShape {
  std::size_t tokens = 0;
  std::size_t query_heads = 0, key_heads = 0;  // of a token
  std::size_t head_size = 0;
  [[nodiscard]] std::size_t heads() const noexcept { return query_heads + key_heads; }
  // Floats of a row; the values take as many as the keys.
  [[nodiscard]] std::size_t row() const noexcept { return (heads() + key_heads) * head_size; }
};

// For every head h < H of token n:
//   y = x rstd gamma,  rstd[n,h] = 1 / sqrt(mean_c x^2 + eps)
// gamma is query_gamma for query heads and key_gamma for key heads. The values are copied.
// Alias   y may be x; nothing else may overlap.
// Cost    4 N H HS flops; moves 2 N row floats: memory bound.
// Error   relative, at most (HS / 64 + 14) u, u = 2^-24, as RMSNorm of norm.h.
struct HeadNormForward : HeadNormShape {
  const float* x = nullptr;            // (N, row)
  const float* query_gamma = nullptr;  // (HS)
  const float* key_gamma = nullptr;    // (HS)
  float* y = nullptr;                  // (N, row)
  float* rstd = nullptr;               // (N, H)
  float eps = 1e-6F;
};
void head_norm_forward(const HeadNormForward& args) noexcept;

// With g = dy gamma and z = x rstd of a head:
//   dx = rstd (g - z mean_c(g z));   dgamma[c] (+)= sum over tokens and heads of dy z
// The gradient of the values is copied.
// Alias   dx may be dy.
// Cost    about 10 N H HS flops; moves 3 N row floats: memory bound.
// Error   dx: (2 K + 14) u rstd (|g| + |z| mean|g z|) with K = HS / 64 + 8
//         dgamma: (B heads + 75) u sum |dy z| with B = max(16, N / 64): a block adds the heads of its
//         tokens in order. The error of the given rstd is not included.
struct HeadNormBackward : HeadNormShape {
  const float* dy = nullptr;
  const float* x = nullptr;
  const float* query_gamma = nullptr;
  const float* key_gamma = nullptr;
  const float* rstd = nullptr;
  float* dx = nullptr;
  float* dquery_gamma = nullptr;  // (HS)
  float* dkey_gamma = nullptr;    // (HS)
  bool accumulate = false;        // add to the gradients of gamma instead of writing them
  float* scratch = nullptr;       // head_norm_backward_scratch_bytes()
};
void head_norm_backward(const HeadNormBackward& args) noexcept;
[[nodiscard]] std::size_t head_norm_backward_scratch_bytes(std::size_t tokens,
                                                           std::size_t head_size) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_HEAD_NORM_H_
