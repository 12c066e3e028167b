#ifndef MEGASCALE_KERNELS_CPU_ROW_BLOCKS_H_
#define MEGASCALE_KERNELS_CPU_ROW_BLOCKS_H_

#include <algorithm>
#include <cstddef>

// Sums over tokens (gradients of biases and norms) are computed in blocks of rows. The blocks
// depend only on the number of tokens: each block adds its rows in order, then the blocks are added
// in order. So the size of the team does not change the bits, and one pass over the activations is
// enough.
namespace megascale::kernels::cpu {

inline constexpr std::size_t kMaxRowBlocks = 64;
inline constexpr std::size_t kMinBlockRows = 16;

// Rows of a block.
[[nodiscard]] constexpr std::size_t block_rows(std::size_t tokens) noexcept {
  return std::max(kMinBlockRows, (tokens + kMaxRowBlocks - 1) / kMaxRowBlocks);
}
// Number of blocks.
[[nodiscard]] constexpr std::size_t row_blocks(std::size_t tokens) noexcept {
  return (tokens + block_rows(tokens) - 1) / block_rows(tokens);
}
// Returns the bytes of scratch for `sums` partial sums of `channels` floats per block.
[[nodiscard]] constexpr std::size_t partial_sum_bytes(std::size_t tokens, std::size_t channels,
                                                      std::size_t sums) noexcept {
  return row_blocks(tokens) * sums * channels * sizeof(float);
}

// Returns the largest partial_sum_bytes() of any number of rows up to `tokens`. Fewer rows may need
// more scratch, since they may make more blocks.
[[nodiscard]] constexpr std::size_t most_partial_sum_bytes(std::size_t tokens, std::size_t channels,
                                                           std::size_t sums) noexcept {
  const std::size_t blocks = (tokens + kMinBlockRows - 1) / kMinBlockRows;
  return std::min(kMaxRowBlocks, blocks) * sums * channels * sizeof(float);
}

// result[c] = (accumulate ? result[c] : 0) + (partial[0][c] + partial[1][c] + ...), partials
// `stride` floats apart.
void add_partial_sums(float* result, const float* partials, std::size_t blocks, std::size_t stride,
                      std::size_t channels, bool accumulate) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ROW_BLOCKS_H_
