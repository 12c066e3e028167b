#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PANELS_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PANELS_H_

#include <cstddef>
#include <cstdint>

// The packed form in which the matrix unit reads float32 operands. Each value is the sum of three
// bfloat16 parts (8 + 8 + 8 significant bits, each part rounded to nearest; the sum is exact),
// stored in tiles.
//
// A panel holds 32 rows of the left operand, or 32 columns of the right operand, over a range of
// the summed index k. For each step of 32 values of k it has three parts, the largest first. Each
// part is two tiles of 16 rows or columns. Dword j of a tile's row holds the values for k = j and
// for k = 16 + j. (The unit sums over both; any order of k is correct if both operands share it.)
namespace megascale::kernels::cpu {

inline constexpr std::size_t kTile = 16;          // rows of a tile, dwords of a tile's row
inline constexpr std::size_t kTileBytes = 1024;   // bytes of a tile
inline constexpr std::size_t kPanel = 2 * kTile;  // rows or columns of a panel
inline constexpr std::size_t kStep = 32;          // values of k that one product of tiles sums over
inline constexpr std::size_t kParts = 3;          // bfloat16 parts of a value
inline constexpr std::size_t kStepBytes = kParts * 2 * kTileBytes;  // of a panel

// A part of an operand in memory. A line is a row of the left operand or a column of the right one.
// Value (line, k) is data[line * line_stride + k * k_stride]; one of the strides is 1.
struct Lines {
  const float* data = nullptr;
  std::size_t line_stride = 0, k_stride = 0;
  std::size_t lines = 0, k = 0;  // number of lines and of values of k
};

enum class Side : std::uint8_t { left, right };

// Steps of a panel over `k` values of k, and its bytes.
[[nodiscard]] constexpr std::size_t steps_of(std::size_t k) noexcept {
  return (k + kStep - 1) / kStep;
}
[[nodiscard]] constexpr std::size_t panel_bytes(std::size_t k) noexcept {
  return steps_of(k) * kStepBytes;
}

// Packs `from`, which has at most 32 lines, into panel_bytes(from.k) bytes at `panel`, aligned to
// 64 bytes. Missing lines (from.lines ... 31) and missing values of the last step are written as 0.
// Needs the AVX-512 of a processor with the matrix unit.
void pack_panel(Side side, const Lines& from, std::byte* panel) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PANELS_H_
