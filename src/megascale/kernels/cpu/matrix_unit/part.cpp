// One thread's part of a product: rows of the left operand are packed into scratch and stay in the
// second-level cache; each panel of the right operand is packed, multiplied with all of them, and
// forgotten.
#include "megascale/kernels/cpu/matrix_unit/part.h"

#include <algorithm>

#include "megascale/kernels/cpu/matrix_unit/block.h"
#include "megascale/kernels/cpu/matrix_unit/panels.h"
#include "megascale/kernels/cpu/matrix_unit/pieces.h"

namespace megascale::kernels::cpu {
namespace {

// Bytes of packed rows: 256 rows of 768 values. The second-level caches of processors with a matrix
// unit have 2 MiB; a panel of the right operand and the result need room beside the rows.
constexpr std::size_t kLeftBytes = 8 * panel_bytes(kDepth);

std::size_t depth_of(const ProductShape& s) noexcept { return std::min(s.k, kDepth); }

}  // namespace

std::size_t part_rows(const ProductShape& s) noexcept {
  return std::max<std::size_t>(1, kLeftBytes / panel_bytes(depth_of(s))) * kPanel;
}

std::size_t part_scratch_bytes(const ProductShape& s) noexcept {
  const std::size_t nbytes = panel_bytes(depth_of(s));
  return std::min(panels_of(s.m) * nbytes, kLeftBytes) + nbytes;
}

void split_part(const ProductShape& s, const SplitOperands& o, const Rectangle& part) noexcept {
  const TilesInUse tiles;
  const Lines left{o.left, s.left_row, s.left_column, s.m, s.k},
      right{o.right, s.right_column, s.right_row, s.n, s.k};
  const auto pass = [&](std::size_t row, std::size_t rows, std::size_t k, std::size_t depth) {
    const std::size_t nbytes = panel_bytes(depth);
    std::byte* const packed = o.scratch + nbytes;
    for (std::size_t r = 0; r < rows; r += kPanel)
      pack_panel(Side::left, cut(left, row + r, std::min(kPanel, rows - r), k, depth),
                 packed + r / kPanel * nbytes);
    const std::size_t end = part.column + part.columns;
    for (std::size_t c = part.column; c < end; c += kPanel) {
      const std::size_t columns = std::min(kPanel, end - c);
      pack_panel(Side::right, cut(right, c, columns, k, depth), o.scratch);
      for (std::size_t r = 0; r < rows; r += kPanel) {
        multiply_panels(packed + r / kPanel * nbytes, o.scratch, steps_of(depth),
                        {.result = o.result + (row + r) * s.result_row + c,
                         .stride = s.result_row,
                         .rows = std::min(kPanel, rows - r),
                         .columns = columns,
                         .accumulate = o.accumulate || k > 0,
                         .bias = k > 0 || o.bias == nullptr ? nullptr : o.bias + c});
      }
    }
  };
  Pieces(part.rows, part_rows(s), kPanel).each([&](std::size_t row, std::size_t rows) {
    Pieces(s.k, kDepth, kStep).each([&](std::size_t k, std::size_t depth) {
      pass(part.row + row, rows, k, depth);
    });
  });
}

}  // namespace megascale::kernels::cpu
