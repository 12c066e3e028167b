#ifndef MEGASCALE_KERNELS_CPU_BFLOAT16_GRADIENTS_H_
#define MEGASCALE_KERNELS_CPU_BFLOAT16_GRADIENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

// Gradients that travel in bfloat16: rounded once, added in float32.
// Source  arXiv 2505.11432, fig. 11.
namespace megascale::kernels::cpu {

// Rounds each value to bfloat16 (to_bfloat16() in elementwise.h) and packs the results, in order,
// into the first half of the bytes of `values`. The second half keeps no meaning.
void pack_bfloat16(std::span<float> values) noexcept;

// Packs the shares of equal blocks of `values` to its begin, one behind the other. The share of a block
// has `count` values from number `offset` of the block on, and a block has at least 2 x count. Values
// behind the results keep no meaning.
struct Shares {
  std::size_t blocks = 1, offset = 0, count = 0;
};
void pack_shares(std::span<float> values, const Shares& shares) noexcept;
// The same, each value rounded to bfloat16.
void pack_shares_bfloat16(std::span<float> values, const Shares& shares) noexcept;

// sum[i] = the i-th values of all blocks, added in float32 in the order of the blocks. `blocks` holds
// a whole number of blocks of sum.size() values. Nothing overlaps.
void add_bfloat16_blocks(std::span<const std::uint16_t> blocks, std::span<float> sum) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_BFLOAT16_GRADIENTS_H_
