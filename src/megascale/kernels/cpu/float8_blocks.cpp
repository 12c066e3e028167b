// Finds codes and scales of each block, and leaves the rest to float8.cpp.
#include "megascale/kernels/cpu/float8_blocks.h"

#include <algorithm>
#include <numeric>

#include "megascale/kernels/cpu/float8.h"

namespace megascale::kernels::cpu {
namespace {

std::size_t scale_count(std::size_t rows, std::size_t columns, bool by_column) noexcept {
  return by_column ? (rows + kTokenGroup - 1) / kTokenGroup * columns : rows;
}

// Returns the factor of the largest value in all blocks, which together are the rows that count.
float factor_of_all(const Float8Blocks& blocks, const float* x) noexcept {
  const auto rows = std::accumulate(blocks.rows.begin(), blocks.rows.end(), std::int64_t{0});
  return float8_factor(largest_magnitude(x, static_cast<std::size_t>(rows) * blocks.columns));
}

// Quantises `args` with a given factor. Its inverse is written to all `scales` inverses.
void quantise_by(const Quantise& args, float factor, std::size_t scales) noexcept {
  encode_float8(args.x, args.rows * args.columns, factor, args.codes);
  std::fill_n(args.inverses, scales, 1.0F / factor);
}

}  // namespace

std::size_t float8_block_nbytes(std::size_t rows, std::size_t columns, bool by_column) noexcept {
  return rows * columns + scale_count(rows, columns, by_column) * sizeof(float);
}

void pack_float8(const Float8Blocks& blocks, const float* x, std::uint8_t* packed) noexcept {
  const float factor = blocks.one_scale ? factor_of_all(blocks, x) : 0;
  for (const std::int64_t count : blocks.rows) {
    const auto rows = static_cast<std::size_t>(count);
    const Quantise args{.rows = rows,
                        .columns = blocks.columns,
                        .x = x,
                        .codes = packed,
                        .inverses = reinterpret_cast<float*>(packed + rows * blocks.columns)};
    if (blocks.one_scale) {
      quantise_by(args, factor, scale_count(rows, blocks.columns, blocks.by_column));
    } else {
      blocks.by_column ? quantise_columns(args) : quantise_rows(args);
    }
    x += rows * blocks.columns;
    packed += float8_block_nbytes(rows, blocks.columns, blocks.by_column);
  }
}

namespace {

// Reads every block back. `y_step` is 1 if each block has rows of its own in y, and 0 if all are added
// to the same rows.
void read_blocks(const Float8Blocks& blocks, const std::uint8_t* packed, float* y,
                 std::size_t y_step) noexcept {
  bool is_first = true;
  for (const std::int64_t count : blocks.rows) {
    const auto rows = static_cast<std::size_t>(count);
    const Dequantise args{
        .rows = rows,
        .columns = blocks.columns,
        .codes = packed,
        .inverses = reinterpret_cast<const float*>(packed + rows * blocks.columns),
        .y = y,
        .add = y_step == 0 && !is_first};
    blocks.by_column ? dequantise_columns(args) : dequantise_rows(args);
    y += y_step * rows * blocks.columns;
    packed += float8_block_nbytes(rows, blocks.columns, blocks.by_column);
    is_first = false;
  }
}

}  // namespace

void unpack_float8(const Float8Blocks& blocks, const std::uint8_t* packed, float* y) noexcept {
  read_blocks(blocks, packed, y, 1);
}

void sum_float8(const Float8Blocks& blocks, const std::uint8_t* packed, float* y) noexcept {
  read_blocks(blocks, packed, y, 0);
}

}  // namespace megascale::kernels::cpu
