#ifndef MEGASCALE_KERNELS_CUDA_NORM_H_
#define MEGASCALE_KERNELS_CUDA_NORM_H_

#include <cstddef>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// LayerNorm and RMSNorm over channels, on a device. Formulas are those of kernels/cpu/norm.h,
// without a residual in the forward pass. N tokens, C channels. Storage, alignment, failures: see
// activation.h. gamma and beta have type `dtype`; mean, rstd and the gradients of gamma and beta
// are float32.
namespace megascale::kernels::cuda {

// LayerNorm if beta is given, RMSNorm if beta is null.
// Shapes  x, y (N, C); gamma, beta (C); mean, rstd (N).
// Alias   y may be x.
// Cost    moves 2 N C elements. Rows of more than 256 packs are read again, from the cache; a pack
//         is 16 bytes, or one element if C is no multiple of that.
// Error   sums are in float32; the longest chain of a sum has 69 additions in a row of at most 256
//         packs, else C / 256 + 13. Then one rounding of y.
struct Norm {
  std::size_t tokens = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* x = nullptr;
  const void* gamma = nullptr;
  const void* beta = nullptr;
  void* y = nullptr;
  float* mean = nullptr;  // LayerNorm only
  float* rstd = nullptr;
  float eps = 1e-5F;
  float gamma_offset = 0;  // added to gamma
};
void norm_forward(const Norm& args, CUstream_st* stream) noexcept;

// LayerNorm if mean is given, RMSNorm if mean is null. addend (N, C) may be null.
// Shapes  dy, x, dx (N, C); gamma, dgamma, dbeta (C); mean, rstd (N).
// Needs   C <= kMostNormChannels.
// Alias   dx may be dy, x or addend.
// Cost    moves 3 N C elements, 4 N C with an addend. Rows of more than 1,024 packs are read twice,
//         the second time from the cache; a pack is 16 bytes, or one element if C is no multiple of
//         that.
// Bits    dgamma and dbeta are summed in kNormParts blocks of rows; add_rows() adds the blocks.
struct NormGradient {
  std::size_t tokens = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* dy = nullptr;
  const void* x = nullptr;
  const void* gamma = nullptr;
  float gamma_offset = 0;  // added to gamma
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const void* addend = nullptr;
  void* dx = nullptr;
  float* dgamma = nullptr;
  float* dbeta = nullptr;  // LayerNorm only
  bool accumulate = false;
  float* scratch = nullptr;  // norm_gradient_scratch_bytes()
};
void norm_gradient(const NormGradient& args, CUstream_st* stream) noexcept;
// The number of blocks of rows, and of thread blocks: four for each of the 132 multiprocessors of
// an H100. It is a constant, so that bits do not depend on the device.
inline constexpr std::size_t kNormParts = 528;
// The most channels of norm_gradient(). Two float sums per channel must fit the 227 KiB of shared
// memory that a thread block of Hopper has, next to kNormSumParts pairs of floats for the sums of a
// row.
inline constexpr std::size_t kNormSumParts = 32;
inline constexpr std::size_t kMostNormChannels =
    (std::size_t{227} * 1024 - kNormSumParts * 8) / (2 * sizeof(float));
[[nodiscard]] constexpr std::size_t norm_gradient_scratch_bytes(std::size_t channels) noexcept {
  return kNormParts * 2 * channels * sizeof(float);
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_NORM_H_
