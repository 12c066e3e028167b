#ifndef MEGASCALE_KERNELS_CPU_HEAD_NORM_H_
#define MEGASCALE_KERNELS_CPU_HEAD_NORM_H_

#include <cstddef>

// RMSNorm of the query heads and key heads of packed rows, forward and backward. A row holds the
// query heads of a token, then its key heads, then its value heads. N tokens; H norms of a token: one
// for each head of both kinds, or, if `whole`, one of all query heads together and one of all key
// heads. Each is over C channels: those of a head, HS, or of all heads of its kind. float32. Bits do
// not depend on the number of threads or the vector target. Needs HS >= 1, eps > 0: checked when the
// plan is built, not here.
namespace megascale::kernels::cpu {

// The sizes that both directions share.
struct HeadNormShape {
  std::size_t tokens = 0;
  std::size_t query_heads = 0, key_heads = 0;  // of a token
  std::size_t head_size = 0;
  bool whole = false;
  float gamma_offset = 0;  // added to query_gamma and key_gamma
  // Ranks that divide the heads of one norm of all heads; the sizes above are those of this rank. The
  // means below are over the channels of all ranks.
  std::size_t ranks = 1;
  // Norms of a token.
  [[nodiscard]] std::size_t norms() const noexcept { return whole ? 2 : query_heads + key_heads; }
  // Channels of a norm of queries and of one of keys.
  [[nodiscard]] std::size_t query_channels() const noexcept {
    return whole ? query_heads * head_size : head_size;
  }
  [[nodiscard]] std::size_t key_channels() const noexcept {
    return whole ? key_heads * head_size : head_size;
  }
  // Floats of the queries and keys of a row. The values, as many as the keys, follow.
  [[nodiscard]] std::size_t normed() const noexcept {
    return (query_heads + key_heads) * head_size;
  }
  [[nodiscard]] std::size_t row() const noexcept { return normed() + key_heads * head_size; }
};

// For every norm h < H of token n:
//   y = x rstd (gamma + gamma_offset),  rstd[n,h] = 1 / sqrt(mean_c x^2 + eps)
// gamma is query_gamma for queries and key_gamma for keys. The values are copied.
// Alias   y may be x; nothing else may overlap.
// Cost    4 N H C flops; moves 2 N row floats: memory bound.
// Error   relative, at most (C / 64 + 15) u, u = 2^-24, as RMSNorm of norm.h.
struct HeadNormForward : HeadNormShape {
  const float* x = nullptr;            // (N, row)
  const float* query_gamma = nullptr;  // (query_channels)
  const float* key_gamma = nullptr;    // (key_channels)
  float* y = nullptr;                  // (N, row)
  float* rstd = nullptr;               // (N, H)
  float eps = 1e-6F;
  const float* squares = nullptr;  // (ranks, N, 2), of all ranks; needed if ranks > 1
};
void head_norm_forward(const HeadNormForward& args) noexcept;

// squares[n,h] = sum_c x^2 over the channels of this rank. `shape.whole` must be true.
// Cost    2 N H C flops; reads N row floats: memory bound.
// Error   relative, at most (C / 64 + 8) u.
void head_norm_squares(const HeadNormShape& shape, const float* x, float* squares) noexcept;

// The inputs of the gradient, which its sums over channels read too.
struct HeadNormTerms : HeadNormShape {
  const float* dy = nullptr;           // (N, row)
  const float* x = nullptr;            // (N, row)
  const float* query_gamma = nullptr;  // (query_channels)
  const float* key_gamma = nullptr;    // (key_channels)
  const float* rstd = nullptr;         // (N, H)
};

// With g = dy (gamma + gamma_offset) and z = x rstd of a norm:
//   dx = rstd (g - z mean_c(g z));   dgamma[c] (+)= sum over tokens and norms of dy z
// The gradient of the values is copied.
// Alias   dx may be dy.
// Cost    about 10 N H C flops; moves 3 N row floats: memory bound.
// Error   dx: (2 K + 14) u rstd (|g| + |z| mean|g z|) with K = C / 64 + 8
//         dgamma: (B norms + 75) u sum |dy z| with B = max(16, N / 64): a block adds the norms of its
//         tokens in order. The error of the given rstd is not included.
struct HeadNormBackward : HeadNormTerms {
  float* dx = nullptr;
  float* dquery_gamma = nullptr;    // (query_channels)
  float* dkey_gamma = nullptr;      // (key_channels)
  bool accumulate = false;          // add to the gradients of gamma instead of writing them
  float* scratch = nullptr;         // head_norm_backward_scratch_bytes()
  const float* products = nullptr;  // (ranks, N, 2), of all ranks; needed if ranks > 1
};
void head_norm_backward(const HeadNormBackward& args) noexcept;
// `shape.tokens`: the number of rows of a run.
[[nodiscard]] std::size_t head_norm_backward_scratch_bytes(const HeadNormShape& shape) noexcept;

// products[n,h] = sum_c g z over the channels of this rank, with the g and z of above. `whole` must be true.
// Cost    5 N H C flops; reads 2 N row floats: memory bound.
// Error   (C / 64 + 12) u sum |g z|.
struct HeadNormProducts : HeadNormTerms {
  float* products = nullptr;  // (N, 2)
};
void head_norm_products(const HeadNormProducts& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_HEAD_NORM_H_
