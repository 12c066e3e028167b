#ifndef MEGASCALE_KERNELS_CUDA_HEAD_NORM_H_
#define MEGASCALE_KERNELS_CUDA_HEAD_NORM_H_

#include <cstddef>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// RMSNorm of the query heads and key heads of packed rows, on a device. Formulas and layout are
// those of kernels/cpu/head_norm.h. N tokens; H norms of a token: one for each head of queries and
// of keys or, if `whole`, one of all query heads and one of all key heads; HS channels of a head.
// Storage, alignment, failures: see activation.h. The weights have type `dtype`; rstd and the
// gradients of the weights are float32.
namespace megascale::kernels::cuda {

struct HeadNormShape {
  std::size_t tokens = 0;
  std::size_t query_heads = 0, key_heads = 0;  // a row has as many value heads as key heads
  std::size_t head_size = 0;
  bool whole = false;
  float gamma_offset = 0;  // added to the weights
  std::size_t ranks =
      1;  // that divide the heads, if `whole`; the sizes above are those of this rank
  RowCount counted = {};
  DType dtype = DType::float32;
  // Device code calls these, too. Norms of a token; channels of a norm of queries, of one of keys,
  // and of both; pieces of a row: its norms, then its values, which are as many pieces as the keys.
  [[nodiscard]] constexpr std::size_t norms() const noexcept {
    return whole ? 2 : query_heads + key_heads;
  }
  [[nodiscard]] constexpr std::size_t query_channels() const noexcept {
    return whole ? query_heads * head_size : head_size;
  }
  [[nodiscard]] constexpr std::size_t key_channels() const noexcept {
    return whole ? key_heads * head_size : head_size;
  }
  [[nodiscard]] constexpr std::size_t channels() const noexcept {
    return query_channels() + key_channels();
  }
  [[nodiscard]] constexpr std::size_t query_norms() const noexcept {
    return whole ? 1 : query_heads;
  }
  [[nodiscard]] constexpr std::size_t pieces() const noexcept {
    return whole ? 3 : query_heads + 2 * key_heads;
  }
};

// Shapes  x, y (N, query, key and value heads, HS); query_gamma (query_channels), key_gamma
//         (key_channels); rstd (N, H).
// Alias   y may be x.
// Cost    moves 2 N (query, key and value heads) HS elements: memory bound.
// Error   sums are in float32; the longest chain of a sum has channels / 32 + 5 additions. Then one
//         rounding of y.
struct HeadNorm : HeadNormShape {
  const void* x = nullptr;
  const void* query_gamma = nullptr;
  const void* key_gamma = nullptr;
  void* y = nullptr;
  float* rstd = nullptr;
  float eps = 1e-6F;
  const float* squares = nullptr;  // (ranks, N, 2), of all ranks; needed if ranks > 1
};
void head_norm_forward(const HeadNorm& args, CUstream_st* stream) noexcept;

// Writes squares[n,h], float32, the sum over this rank's channels of x squared. `whole` must be true.
// Cost    reads the queries and keys of x once: memory bound.
void head_norm_squares(const HeadNormShape& shape, const void* x, float* squares,
                       CUstream_st* stream) noexcept;

// The inputs of the gradient, which its sums over channels read too.
struct HeadNormTerms : HeadNormShape {
  const void* dy = nullptr;
  const void* x = nullptr;
  const void* query_gamma = nullptr;
  const void* key_gamma = nullptr;
  const float* rstd = nullptr;
};

// Alias   dx may be dy.
// Needs   channels() <= kMostHeadNormChannels.
// Bits    the gradients of the weights are summed in kHeadNormParts blocks of tokens, and within a
//         block by head_norm_warps() warps, which are added in order; add_rows() adds the blocks.
struct HeadNormGradient : HeadNormTerms {
  void* dx = nullptr;
  float* dquery_gamma = nullptr;
  float* dkey_gamma = nullptr;
  bool accumulate = false;
  float* scratch = nullptr;         // head_norm_gradient_scratch_bytes()
  const float* products = nullptr;  // (ranks, N, 2), of all ranks; needed if ranks > 1
};
void head_norm_gradient(const HeadNormGradient& args, CUstream_st* stream) noexcept;

// Writes products[n,h], float32, the sum over this rank's channels of dy (gamma + gamma_offset) x rstd.
// `whole` must be true.
// Cost    reads the queries and keys of dy and x once: memory bound.
struct HeadNormProducts : HeadNormTerms {
  float* products = nullptr;  // (N, 2)
};
void head_norm_products(const HeadNormProducts& args, CUstream_st* stream) noexcept;
// The number of thread blocks: four for each of the 132 multiprocessors of an H100. It is a
// constant, so that bits do not depend on the device.
inline constexpr std::size_t kHeadNormParts = 528;
// Every warp of a block has the sums of both weights in shared memory, of which a thread block of
// Hopper has 227 KiB: one warp for the most channels, and eight where they fit.
inline constexpr std::size_t kMostHeadNormChannels = std::size_t{227} * 1024 / sizeof(float);
[[nodiscard]] constexpr std::size_t head_norm_warps(const HeadNormShape& shape) noexcept {
  std::size_t warps = 8;
  while (warps > 1 && warps * shape.channels() > kMostHeadNormChannels) warps /= 2;
  return warps;
}
[[nodiscard]] constexpr std::size_t head_norm_gradient_scratch_bytes(
    const HeadNormShape& shape) noexcept {
  return kHeadNormParts * shape.channels() * sizeof(float);
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_HEAD_NORM_H_
