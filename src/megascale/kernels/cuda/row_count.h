#ifndef MEGASCALE_KERNELS_CUDA_ROW_COUNT_H_
#define MEGASCALE_KERNELS_CUDA_ROW_COUNT_H_

#include <cstddef>
#include <cstdint>

struct CUstream_st;

// Rows that are counted on the device, and so unknown to the host (decision 0018). Kernels are
// started for the bound; threads beyond the count do nothing. Rows beyond the count may hold
// anything and may be overwritten.
namespace megascale::kernels::cuda {

// The sum of `terms` elements of an array on the device. Null: all rows of the bound. A count below
// zero counts as zero, one above the bound as the bound: a kernel cannot report an error.
struct RowCount {
  const std::int64_t* counts = nullptr;
  std::uint32_t terms = 0;
};

// Sets the rows of x beyond the count to zero: rows [count, tokens) of `row_nbytes` each, a
// multiple of 4. For sums over rows by a library that knows the bound only. Without a count it does
// nothing. Cost  writes (tokens - count) row_nbytes.
struct ClearRows {
  std::size_t tokens = 0, row_nbytes = 0;
  RowCount counted;
  std::byte* x = nullptr;
};
void clear_uncounted_rows(const ClearRows& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROW_COUNT_H_
