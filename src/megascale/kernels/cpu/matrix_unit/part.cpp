// One thread's part of a product: rows of the left operand are packed into scratch and stay in the
// second-level cache; each panel of the right operand is packed, multiplied with all of them, and
// forgotten. Reading the right operand from memory is the largest cost beside the products, so the
// next panel is fetched while the unit works.
#include "megascale/kernels/cpu/matrix_unit/part.h"

#include <algorithm>

#include "megascale/kernels/cpu/matrix_unit/block.h"
#include "megascale/kernels/cpu/matrix_unit/panels.h"
#include "megascale/kernels/cpu/matrix_unit/pieces.h"

namespace megascale::kernels::cpu {
namespace {

// Bytes of packed rows: 256 rows of 768 values. The second-level caches of processors with a matrix
// unit have 2 MiB; a panel of the right operand, the memory of the next one and the result need room
// beside the rows.
constexpr std::size_t kLeftBytes = 8 * panel_bytes(kDepth);

// The most cache lines that a step of 32 values of k fetches ahead: more would delay the reads of
// the panels.
constexpr std::size_t kMostFetched = 8;

std::size_t depth_of(const ProductShape& s) noexcept { return std::min(s.k, kDepth); }

// Returns the memory of lines, to be fetched.
Ahead memory_of(const Lines& lines) noexcept {
  const bool k_inner = lines.k_stride == 1;
  Ahead ahead{.data = lines.data,
              .stride = k_inner ? lines.line_stride : lines.k_stride,
              .columns = k_inner ? lines.k : lines.lines};
  ahead.end = (k_inner ? lines.lines : lines.k) * ahead.row_lines();
  return ahead;
}

// A pass over a part: some rows, some values of k, all columns of the part.
struct Pass {
  std::size_t row, rows, k, depth;
};

// Packs the rows of the pass, then panel by panel the columns, and multiplies them.
void run_pass(const ProductShape& s, const SplitOperands& o, const Rectangle& part,
              const Pass& p) noexcept {
  const Lines left{o.left, s.left_row, s.left_column, s.m, s.k},
      right{o.right, s.right_column, s.right_row, s.n, s.k};
  const std::size_t nbytes = panel_bytes(p.depth), blocks = panels_of(p.rows);
  std::byte* const columns_packed = o.scratch + blocks * nbytes;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t r = block * kPanel;
    pack_panel(Side::left, cut(left, p.row + r, std::min(kPanel, p.rows - r), p.k, p.depth),
               o.scratch + block * nbytes);
  }
  const std::size_t end = part.column + part.columns;
  for (std::size_t c = part.column; c < end; c += kPanel) {
    const auto panel = [&](std::size_t column) {
      return cut(right, column, std::min(kPanel, end - column), p.k, p.depth);
    };
    pack_panel(Side::right, panel(c), columns_packed);
    Ahead ahead{};
    if (c + kPanel < end) ahead = memory_of(panel(c + kPanel));
    const std::size_t lines = std::min(ahead.end, kMostFetched * blocks * steps_of(p.depth));
    for (std::size_t block = 0; block < blocks; ++block) {
      ahead.begin = lines * block / blocks;
      ahead.end = lines * (block + 1) / blocks;
      const std::size_t r = block * kPanel;
      multiply_panels(o.scratch + block * nbytes, columns_packed, steps_of(p.depth),
                      {.result = o.result + (p.row + r) * s.result_row + c,
                       .stride = s.result_row,
                       .rows = std::min(kPanel, p.rows - r),
                       .columns = std::min(kPanel, end - c),
                       .accumulate = o.accumulate || p.k > 0,
                       .bias = p.k > 0 || o.bias == nullptr ? nullptr : o.bias + c},
                      ahead);
    }
  }
}

}  // namespace

std::size_t part_rows(const ProductShape& s) noexcept {
  return kLeftBytes / panel_bytes(depth_of(s)) * kPanel;
}

std::size_t part_scratch_bytes(const ProductShape& s) noexcept {
  const std::size_t nbytes = panel_bytes(depth_of(s));
  return std::min(panels_of(s.m) * nbytes, kLeftBytes) + nbytes;
}

void split_part(const ProductShape& s, const SplitOperands& o, const Rectangle& part) noexcept {
  const TilesInUse tiles;
  Pieces(part.rows, part_rows(s), kPanel).each([&](std::size_t row, std::size_t rows) {
    Pieces(s.k, kDepth, kStep).each([&](std::size_t k, std::size_t depth) {
      run_pass(s, o, part, {part.row + row, rows, k, depth});
    });
  });
}

}  // namespace megascale::kernels::cpu
