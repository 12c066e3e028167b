#ifndef MEGASCALE_KERNELS_CUDA_ROW_COUNT_H_
#define MEGASCALE_KERNELS_CUDA_ROW_COUNT_H_

#include <cstddef>
#include <cstdint>

struct CUstream_st;

// The number of rows of a tensor, if only the device knows it (decision 0018). The host launches
// kernels for the upper bound, the tensor's number of rows; threads beyond the count do nothing.
// Rows beyond the count may hold anything and may be overwritten.
namespace megascale::kernels::cuda {

// The count is the sum of `terms` elements of an array in device memory. Null: all rows are valid.
// A kernel cannot report an error, so a negative element counts as zero, and a sum above the bound
// as the bound.
struct RowCount {
  const std::int64_t* counts = nullptr;
  std::uint32_t terms = 0;
};

// Sets rows [count, tokens) of x to zero; a row has `row_nbytes` bytes, a multiple of 4. Needed
// before a library, which knows only the bound, sums over rows. Does nothing if counted.counts is
// null.
// Cost  writes (tokens - count) row_nbytes bytes.
struct ClearRows {
  std::size_t tokens = 0, row_nbytes = 0;
  RowCount counted;
  std::byte* x = nullptr;
};
void clear_uncounted_rows(const ClearRows& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROW_COUNT_H_
