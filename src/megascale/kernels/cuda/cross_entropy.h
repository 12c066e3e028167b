#ifndef MEGASCALE_KERNELS_CUDA_CROSS_ENTROPY_H_
#define MEGASCALE_KERNELS_CUDA_CROSS_ENTROPY_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"
#include "megascale/kernels/token_loss.h"

struct CUstream_st;

// Cross entropy on a device, over a vocabulary that may be split over R ranks. Formulas, statistics
// and padding are those of kernels/cpu/cross_entropy.h. N tokens, V columns on this rank. Storage,
// alignment, failures: see activation.h. Logits and their gradient have type `dtype`; the sum of
// the losses is float64.
// Error  as on the CPU. With bfloat16 logits every exp has an additional relative error of
//        (|x - max| + 1) 2^-22.
namespace megascale::kernels::cuda {

struct LogitRows {
  std::size_t tokens = 0, columns = 0;  // N, V
  RowCount counted = {};                // number of tokens, if it is counted at run time
  DType dtype = DType::float32;
  const void* logits = nullptr;
  const std::int32_t* target = nullptr;  // negative: the token does not count
  std::size_t vocab_start = 0, valid_vocab = 0;
};

// Computes stats (N) from this rank's columns.
// Cost  reads the logits once.
void logit_stats(const LogitRows& rows, LogitStats* stats, CUstream_st* stream) noexcept;

// Computes the losses and dlogits. result[0] is the sum of the losses, result[1] the number of
// tokens that count. dlogits may be the logits; it may be null (evaluation: no gradient).
// Cost  reads the logits and writes dlogits once.  Bits  losses are added in a fixed order.
struct CrossEntropy {
  LogitRows rows;
  const LogitStats* stats = nullptr;  // (R, N), rank by rank; N is the bound if tokens are counted
  std::size_t ranks = 1;
  const float* weights = nullptr;  // (N), or null: 1; see kernels/cpu/cross_entropy.h
  float* loss = nullptr;           // scratch (N)
  void* dlogits = nullptr;
  double* result = nullptr;
};
void cross_entropy(const CrossEntropy& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_CROSS_ENTROPY_H_
