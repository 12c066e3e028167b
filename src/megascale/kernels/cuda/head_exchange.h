#ifndef MEGASCALE_KERNELS_CUDA_HEAD_EXCHANGE_H_
#define MEGASCALE_KERNELS_CUDA_HEAD_EXCHANGE_H_

#include <cstddef>

#include "megascale/base/dtype.h"
#include "megascale/kernels/value_size.h"

struct CUstream_st;

// The copies before and after the all_to_alls of Ulysses, on a device. The layouts are those of
// kernels/cpu/head_exchange.h, where N, NH, NG, HS, VS, R, B, S and C are defined. Storage, alignment,
// failures: see activation.h. Nothing overlaps. Memory bound.
namespace megascale::kernels::cuda {

// rows (N, (NH + NG) HS + NG VS), blocks (R, N, (NH/R + G) HS + G VS), with G = max(NG / R, 1).
// split_heads: rows -> blocks, a copy.
// join_heads: blocks -> rows. A key-value head that is in several blocks becomes the sum over them,
// in the order of the blocks, in float32, rounded once.
struct HeadExchange {
  std::size_t tokens = 0, heads = 0, groups = 0, head_size = 0, ranks = 1;  // N, NH, NG, HS, R
  std::size_t value_size = 0;  // VS; 0: HS (value_size_of())
  DType dtype = DType::float32;
  const void* from = nullptr;
  void* to = nullptr;
};
void split_heads(const HeadExchange& args, CUstream_st* stream) noexcept;
void join_heads(const HeadExchange& args, CUstream_st* stream) noexcept;

// split_sequences: rows (B, S, C) -> blocks (R, B, S/R, C); join_sequences: back. Both are copies.
struct SequenceExchange {
  std::size_t sequences = 0, length = 0, channels = 0, ranks = 1;  // B, S, C, R
  DType dtype = DType::float32;
  const void* from = nullptr;
  void* to = nullptr;
};
void split_sequences(const SequenceExchange& args, CUstream_st* stream) noexcept;
void join_sequences(const SequenceExchange& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_HEAD_EXCHANGE_H_
