#ifndef MEGASCALE_KERNELS_CUDA_SORT_TOKENS_H_
#define MEGASCALE_KERNELS_CUDA_SORT_TOKENS_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Sorts tokens by the row of a table that they name, so that the tokens of one row are neighbours.
// Failures: see activation.h.
namespace megascale::kernels::cuda {

// Token n has row index[n] - vocab_start. If the table has no such row, or n is beyond the count,
// it has row vocab_count: such tokens come last.
// Bits  stable: tokens of one row stay in order. A radix sort by 8 bits, from the lowest on, as many
//       times as vocab_count needs; nothing depends on timing.
// Cost  for each 8 bits: reads 24 bytes per token and writes 8.
struct SortTokens {
  std::size_t tokens = 0;  // less than 2^31
  RowCount counted = {};
  const std::int32_t* index = nullptr;
  std::size_t vocab_start = 0, vocab_count = 0;
  std::byte* scratch = nullptr;  // sort_tokens_scratch_bytes(), aligned to 4; holds the result
};
// Both arrays have as many elements as there are tokens.
struct TokenOrder {
  const std::uint32_t* row = nullptr;    // ascending
  const std::uint32_t* token = nullptr;  // which of them has this row
};
[[nodiscard]] TokenOrder sort_tokens(const SortTokens& args, CUstream_st* stream) noexcept;

// The tokens that a thread block sorts, and the values of 8 bits.
inline constexpr std::size_t kSortTile = 2048, kSortDigits = 256;
[[nodiscard]] constexpr std::size_t sort_tokens_scratch_bytes(std::size_t tokens) noexcept {
  const std::size_t tiles = (tokens + kSortTile - 1) / kSortTile;
  return (4 * tokens + tiles * kSortDigits) * sizeof(std::uint32_t);
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_SORT_TOKENS_H_
