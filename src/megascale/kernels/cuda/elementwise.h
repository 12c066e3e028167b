#ifndef MEGASCALE_KERNELS_CUDA_ELEMENTWISE_H_
#define MEGASCALE_KERNELS_CUDA_ELEMENTWISE_H_

#include <cstddef>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Sums and column sums. Storage, alignment, failures: see activation.h. Sums have one order,
// whatever the timing.
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

// y = ((block 0 + block 1) + block 2) + ...: blocks (B, count) one after the other. The sum is kept
// in float32 and rounded to dtype once.  Alias  y may be block 0.
struct SumBlocks {
  std::size_t count = 0, blocks = 1;
  DType dtype = DType::float32;
  const void* x = nullptr;
  void* y = nullptr;
};
void sum_blocks(const SumBlocks& args, CUstream_st* stream) noexcept;

// result[c] = (accumulate ? result[c] : 0) + sum_n x[n,c], result float32: the gradient of a bias.
// Bits  sums over kColumnBlocks blocks of rows, of every eighth row each, then over the eight in
// order; then as add_rows() adds them.  Cost  reads x once.
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
// Blocks of rows: a constant, so that bits do not depend on the device.
inline constexpr std::size_t kColumnBlocks = 64;
[[nodiscard]] constexpr std::size_t column_sum_scratch_bytes(std::size_t channels) noexcept {
  return kColumnBlocks * channels * sizeof(float);
}
// The second half alone: result[c] = (accumulate ? result[c] : 0) + sum_b parts[b * stride + c];
// and the same of the `channels` columns behind them into next_result, where it is not null. Bits
// eight runs of rows, each in order, then the runs in order.
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
