#ifndef MEGASCALE_KERNELS_CPU_BLOCK_NORM_H_
#define MEGASCALE_KERNELS_CPU_BLOCK_NORM_H_

#include <cstddef>
#include <span>

// Norms of flat buffers, as sums over blocks of 4,096 elements. Tensors and shards begin at
// multiples of a block. So the blocks, and the order in which their sums are added, do not depend
// on how a buffer is sharded.
namespace megascale::kernels::cpu {

// Elements in a block.
inline constexpr std::size_t kNormBlock = 4096;

// Number of blocks of a buffer with `count` elements; the last may be shorter.
[[nodiscard]] constexpr std::size_t norm_blocks(std::size_t count) noexcept {
  return (count + kNormBlock - 1) / kNormBlock;
}

// sums[b] = sum of squares of the elements [4096 b, min(4096 (b + 1), count)) of x, in float64.
// Returns the number of blocks that hold an infinity or a NaN. (The square of a float cannot
// overflow a double, so the sum of a block is finite exactly if all its elements are.)
// Shapes  x (count); sums (norm_blocks(count)).
// Cost    2 count flops; moves count floats: memory bound.
// Error   relative 128 u', u' = 2^-53 (chains of 128 exact squares on 32 lanes, folded by halves).
// Bits    do not depend on threads or vector target (the baseline target included).
std::size_t block_square_sums(std::span<const float> x, std::span<double> sums) noexcept;

// Returns the total of the block sums, added in order.
[[nodiscard]] double add_blocks(std::span<const double> sums) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_BLOCK_NORM_H_
