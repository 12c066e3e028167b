#ifndef MEGASCALE_KERNELS_CUDA_NORM_H_
#define MEGASCALE_KERNELS_CUDA_NORM_H_

#include <cstddef>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// LayerNorm and RMSNorm over channels; formulas as in kernels/cpu/norm.h. Storage, alignment,
// failures: see activation.h; mean and rstd are float32, gamma and beta of `dtype`, their gradients
// float32.
namespace megascale::kernels::cuda {

// LayerNorm where beta is given, RMSNorm where it is null.  Shapes  x, y (N, C); gamma, beta (C);
// mean, rstd (N). Alias  y may be x.  Cost  moves 2 N C elements (a row is read from memory once,
// then from the cache). Error  sums in float32 over 256 threads: chains of C / 256 + 13; then one
// rounding of y.
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
};
void norm_forward(const Norm& args, CUstream_st* stream) noexcept;

// LayerNorm where mean is given, RMSNorm where it is null. addend (N, C) may be null.
// Alias  dx may be dy, x or addend.  Cost  moves 3 N C elements, 4 with an addend; rows of more
// than 1,024 packs (16 bytes, or one element where C is no multiple of a pack) are read twice.
// Bits  dgamma and dbeta are sums over kNormParts blocks of rows, then as add_rows() adds them.
struct NormGradient {
  std::size_t tokens = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* dy = nullptr;
  const void* x = nullptr;
  const void* gamma = nullptr;
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
// Blocks of rows, a constant, so that bits do not depend on the device: four for each of the 132
// multiprocessors of an H100.
inline constexpr std::size_t kNormParts = 528;
// Channels at most: their two sums lie in the 227 KiB of shared memory that a block of Hopper has,
// beside 8 bytes per warp for the sums of a row.
inline constexpr std::size_t kNormSumParts = 32;
inline constexpr std::size_t kMostNormChannels =
    (std::size_t{227} * 1024 - kNormSumParts * 8) / (2 * sizeof(float));
[[nodiscard]] constexpr std::size_t norm_gradient_scratch_bytes(std::size_t channels) noexcept {
  return kNormParts * 2 * channels * sizeof(float);
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_NORM_H_
