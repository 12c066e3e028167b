#ifndef MEGASCALE_KERNELS_CPU_FLOAT8_BLOCKS_H_
#define MEGASCALE_KERNELS_CPU_FLOAT8_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <span>

// Rows that travel in 8 bits (E4M3, float8.h), in blocks that are quantised for themselves. A block is
// packed as its codes, row by row, and its float32 scales behind them; blocks lie one after the other.
// Source  arXiv 2505.11432, 7.2
namespace megascale::kernels::cpu {

struct Float8Blocks {
  std::span<const std::int64_t> rows;  // of each block
  std::size_t columns = 0;             // a multiple of 4, so that scales are aligned
  bool by_column = false;              // a scale per column and kTokenGroup rows, not per row
  bool one_scale = false;  // packing gives all blocks the scale of the largest value of them all
};

// x (all rows, columns) -> packed. With one_scale, which is for studies, one thread does all.
void pack_float8(const Float8Blocks& blocks, const float* x, std::uint8_t* packed) noexcept;
// packed -> y (all rows, columns)
void unpack_float8(const Float8Blocks& blocks, const std::uint8_t* packed, float* y) noexcept;
// packed blocks of equally many rows -> y (rows of a block, columns): their sum, added in their order
void sum_float8(const Float8Blocks& blocks, const std::uint8_t* packed, float* y) noexcept;

// Returns the bytes of a packed block.
[[nodiscard]] std::size_t float8_block_nbytes(std::size_t rows, std::size_t columns,
                                              bool by_column) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FLOAT8_BLOCKS_H_
