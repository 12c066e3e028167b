#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PANELS_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PANELS_H_

#include <cstddef>
#include <cstdint>

// float32 operands as the matrix unit reads them: each value as the sum of three bfloat16 parts
// (8 + 8 + 8 significant bits, each part rounded to nearest: exact), in tiles.
//
// A panel holds 32 rows of the left operand, or 32 columns of the right one, over a range of the
// summed index k. For each step of 32 values of k it has three parts, largest first, of two tiles
// of 16 rows or columns. Dword j of a tile's row holds the parts of k = j and k = 16 + j (the unit
// sums over both; any order of k will do that both operands share).
namespace megascale::kernels::cpu {

inline constexpr std::size_t kTile = 16;         // rows of a tile, dwords of a tile's row
inline constexpr std::size_t kTileBytes = 1024;  // bytes of a tile
inline constexpr std::size_t kPanel = 2 * kTile;
inline constexpr std::size_t kStep = 32;  // values of k that one product of tiles sums over
inline constexpr std::size_t kParts = 3;
inline constexpr std::size_t kStepBytes = kParts * 2 * kTileBytes;

// Part of an operand in memory: value (line, k) at data[line * line_stride + k * k_stride], one of
// the strides being 1. A line is a row of the left or a column of the right operand.
struct Lines {
  const float* data = nullptr;
  std::size_t line_stride = 0, k_stride = 0;
  std::size_t lines = 0, k = 0;  // how many there are
};

enum class Side : std::uint8_t { left, right };

[[nodiscard]] constexpr std::size_t steps_of(std::size_t k) noexcept {
  return (k + kStep - 1) / kStep;
}
[[nodiscard]] constexpr std::size_t panel_bytes(std::size_t k) noexcept {
  return steps_of(k) * kStepBytes;
}

// Writes panel_bytes(from.k) bytes, aligned to 64; lines from from.lines to 32 and k behind from.k
// as zeros. from.lines at most 32. Needs the matrix unit's AVX-512.
void pack_panel(Side side, const Lines& from, std::byte* panel) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PANELS_H_
