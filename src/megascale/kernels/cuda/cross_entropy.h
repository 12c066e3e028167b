#ifndef MEGASCALE_KERNELS_CUDA_CROSS_ENTROPY_H_
#define MEGASCALE_KERNELS_CUDA_CROSS_ENTROPY_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Cross entropy over a vocabulary that may be split over ranks; formulas, statistics and padding as
// in kernels/cpu/cross_entropy.h. Storage, alignment, failures: see activation.h. Logits and their
// gradient are of `dtype`, arithmetic is float32, the sum of losses float64. Error  as on the CPU;
// of bfloat16 logits every exp has a relative error of (|x - max| + 1) 2^-22 besides.
namespace megascale::kernels::cuda {

struct LogitRows {
  std::size_t tokens = 0, columns = 0;  // packed rows
  RowCount counted = {};                // logit_stats only
  DType dtype = DType::float32;
  const void* logits = nullptr;
  const std::int32_t* target = nullptr;  // negative: the token does not count
  std::size_t vocab_start = 0, valid_vocab = 0;
};

// stats (N, 3): maximum, sum of exp(x - maximum), logit of the target, of this rank's columns.
// Cost  one pass over the logits.
void logit_stats(const LogitRows& rows, float* stats, CUstream_st* stream) noexcept;

// result[0] = sum of the losses, result[1] = tokens that count; dlogits may be the logits, or null.
// Cost  reads and writes the logits once.  Bits  losses are added in one order.
struct CrossEntropy {
  LogitRows rows;
  const float* stats = nullptr;  // (R, N, 3), rank by rank
  std::size_t ranks = 1;
  float* loss = nullptr;  // scratch (N)
  void* dlogits = nullptr;
  double* result = nullptr;
};
void cross_entropy(const CrossEntropy& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_CROSS_ENTROPY_H_
