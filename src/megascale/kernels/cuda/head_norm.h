#ifndef MEGASCALE_KERNELS_CUDA_HEAD_NORM_H_
#define MEGASCALE_KERNELS_CUDA_HEAD_NORM_H_

#include <cstddef>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// RMSNorm of the query heads and key heads of packed rows, on a device. Formulas and layout are
// those of kernels/cpu/head_norm.h. N tokens, H query and key heads, HS channels of a head. Storage,
// alignment, failures: see activation.h. The weights have type `dtype`; rstd and the gradients of
// the weights are float32.
namespace megascale::kernels::cuda {

struct HeadNormShape {
  std::size_t tokens = 0;
  std::size_t query_heads = 0, key_heads = 0;  // a row has as many value heads as key heads
  std::size_t head_size = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  // The heads of a row that are normalised, and all of them. Device code calls both.
  [[nodiscard]] constexpr std::size_t normed_heads() const noexcept {
    return query_heads + key_heads;
  }
  [[nodiscard]] constexpr std::size_t all_heads() const noexcept {
    return query_heads + 2 * key_heads;
  }
};

// Shapes  x, y (N, H + value heads, HS); query_gamma, key_gamma (HS); rstd (N, H).
// Alias   y may be x.
// Cost    moves 2 N (H + value heads) HS elements: memory bound.
// Error   sums are in float32; the longest chain of a sum has HS / 32 + 5 additions. Then one
//         rounding of y.
struct HeadNorm : HeadNormShape {
  const void* x = nullptr;
  const void* query_gamma = nullptr;
  const void* key_gamma = nullptr;
  void* y = nullptr;
  float* rstd = nullptr;
  float eps = 1e-6F;
};
void head_norm_forward(const HeadNorm& args, CUstream_st* stream) noexcept;

// Alias   dx may be dy.
// Needs   HS <= kMostHeadNormChannels.
// Bits    the gradients of the weights are summed in kHeadNormParts blocks of tokens, and within a
//         block by kHeadNormWarps warps, which are added in order; add_rows() adds the blocks.
struct HeadNormGradient : HeadNormShape {
  const void* dy = nullptr;
  const void* x = nullptr;
  const void* query_gamma = nullptr;
  const void* key_gamma = nullptr;
  const float* rstd = nullptr;
  void* dx = nullptr;
  float* dquery_gamma = nullptr;
  float* dkey_gamma = nullptr;
  bool accumulate = false;
  float* scratch = nullptr;  // head_norm_gradient_scratch_bytes()
};
void head_norm_gradient(const HeadNormGradient& args, CUstream_st* stream) noexcept;
// The number of thread blocks: four for each of the 132 multiprocessors of an H100. It is a
// constant, so that bits do not depend on the device.
inline constexpr std::size_t kHeadNormParts = 528;
inline constexpr std::size_t kHeadNormWarps = 8;
// Every warp of a block has the sums of both weights in shared memory, of which a thread block of
// Hopper has 227 KiB.
inline constexpr std::size_t kMostHeadNormChannels =
    std::size_t{227} * 1024 / (kHeadNormWarps * 2 * sizeof(float));
[[nodiscard]] constexpr std::size_t head_norm_gradient_scratch_bytes(
    std::size_t head_size) noexcept {
  return kHeadNormParts * 2 * head_size * sizeof(float);
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_HEAD_NORM_H_
