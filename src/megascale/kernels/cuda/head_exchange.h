#ifndef MEGASCALE_KERNELS_CUDA_HEAD_EXCHANGE_H_
#define MEGASCALE_KERNELS_CUDA_HEAD_EXCHANGE_H_

#include <cstddef>

#include "megascale/base/dtype.h"

struct CUstream_st;

// What Ulysses does around its all_to_alls; layouts as in kernels/cpu/head_exchange.h. Storage,
// alignment, failures: see activation.h. Nothing overlaps.
namespace megascale::kernels::cuda {

// rows (N, (NH + 2 NG) HS) <-> blocks (R, N, (NH/R + 2 G) HS), G = max(NG / R, 1).
// join adds a key-value head that is in several blocks over them in their order, in float32,
// rounded once.
struct HeadExchange {
  std::size_t tokens = 0, heads = 0, groups = 0, head_size = 0, ranks = 1;
  DType dtype = DType::float32;
  const void* from = nullptr;
  void* to = nullptr;
};
void split_heads(const HeadExchange& args, CUstream_st* stream) noexcept;
void join_heads(const HeadExchange& args, CUstream_st* stream) noexcept;

// rows (B, S, C) <-> blocks (R, B, S/R, C); copies.
struct SequenceExchange {
  std::size_t sequences = 0, length = 0, channels = 0, ranks = 1;
  DType dtype = DType::float32;
  const void* from = nullptr;
  void* to = nullptr;
};
void split_sequences(const SequenceExchange& args, CUstream_st* stream) noexcept;
void join_sequences(const SequenceExchange& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_HEAD_EXCHANGE_H_
