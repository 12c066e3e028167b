#ifndef MEGASCALE_KERNELS_CUDA_ELEMENTWISE_H_
#define MEGASCALE_KERNELS_CUDA_ELEMENTWISE_H_

#include <cstddef>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Element-wise sums, and sums over rows, on a device. Storage, alignment, failures: see
// activation.h. Sums are added in a fixed order. N rows (tokens), C columns (channels); u = 2^-24.
namespace megascale::kernels::cuda {

// y = a + b, count elements in rows of `channels`.  Alias  y may be a or b.  Error  one rounding.
struct Add {
  std::size_t count = 0, channels = 1;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
};
void add(const Add& args, CUstream_st* stream) noexcept;

// y = factor x, count elements in rows of `channels`.  Alias  y may be x.  Error  one rounding.
struct Scale {
  std::size_t count = 0, channels = 1;
  RowCount counted = {};
  DType dtype = DType::float32;
  float factor = 1;
  const void* x = nullptr;
  void* y = nullptr;
};
void scale(const Scale& args, CUstream_st* stream) noexcept;

// y = x in another dtype (float32 and bfloat16), count elements in rows of `channels`. Error  one rounding.
struct Cast {
  std::size_t count = 0, channels = 1;
  RowCount counted = {};
  DType from = DType::bfloat16, to = DType::float32;
  const void* x = nullptr;
  void* y = nullptr;
};
void cast(const Cast& args, CUstream_st* stream) noexcept;

// y[n,c] = x[n,c] + bias[c].  Alias  y may be x.  Error  one rounding.
struct AddBias {
  std::size_t tokens = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* x = nullptr;
  const void* bias = nullptr;
  void* y = nullptr;
};
void add_bias(const AddBias& args, CUstream_st* stream) noexcept;

// y = ((block 0 + block 1) + block 2) + ...: x holds `blocks` blocks of `count` elements of `dtype`, one
// after the other. The sum is kept in float32 and rounded to the type of y once.  Alias  y may be
// block 0 if both types are the same.
struct SumBlocks {
  std::size_t count = 0, blocks = 1;
  DType dtype = DType::float32, sum_dtype = DType::float32;
  const void* x = nullptr;
  void* y = nullptr;
};
void sum_blocks(const SumBlocks& args, CUstream_st* stream) noexcept;

// Rounds `count` values to bfloat16 and packs them, in order, into the first half of their bytes. The
// second half keeps no meaning. log2(count) + 1 kernels.
void pack_bfloat16(std::size_t count, float* values, CUstream_st* stream) noexcept;

// Packs the shares of equal blocks of values to their begin, one behind the other. The share of a block
// has `count` values from number `offset` of the block on, and a block has `stride` values, at least
// 2 x count; offset is 0 or at least count, and all three are multiples of 8. Values behind the results keep no
// meaning. Every block takes one kernel or more.
struct PackShares {
  std::size_t blocks = 1, stride = 0, offset = 0, count = 0;
  DType dtype = DType::float32;  // of the results: float32 or bfloat16
  float* values = nullptr;
};
void pack_shares(const PackShares& args, CUstream_st* stream) noexcept;

// x = 0, count elements.
void clear(std::size_t count, float* x, CUstream_st* stream) noexcept;

// result[c] = (accumulate ? result[c] : 0) + sum_n x[n,c], in float32: the gradient of a bias.
// Bits   The rows are cut into kColumnBlocks blocks. In a block, eight sums take every eighth row
//        each, and are then added in order. add_rows() adds the sums of the blocks.
// Cost   reads x once.
// Error  relative to sum_n |x|: (N / (8 kColumnBlocks) + kColumnBlocks / 8 + 20) u.
struct ColumnSum {
  std::size_t tokens = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* x = nullptr;
  float* result = nullptr;
  bool accumulate = false;
  float* scratch = nullptr;  // column_sum_scratch_bytes()
};
void column_sum(const ColumnSum& args, CUstream_st* stream) noexcept;
// The number of blocks of rows. It is a constant, so that bits do not depend on the device.
inline constexpr std::size_t kColumnBlocks = 64;
[[nodiscard]] constexpr std::size_t column_sum_scratch_bytes(std::size_t channels) noexcept {
  return kColumnBlocks * channels * sizeof(float);
}
// Adds partial sums: result[c] = (accumulate ? result[c] : 0) + sum_b parts[b * stride + c], for
// rows b < `rows`. If next_result is not null, it becomes the same sum of the next `channels`
// columns.
// Bits   The rows are cut into eight runs. Each run is added in order, then the runs in order.
struct AddRows {
  std::size_t rows = 0, stride = 0, channels = 0;
  const float* parts = nullptr;
  float* result = nullptr;
  float* next_result = nullptr;
  bool accumulate = false;
};
void add_rows(const AddRows& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ELEMENTWISE_H_
