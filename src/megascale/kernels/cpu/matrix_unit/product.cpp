// A whole product on the matrix unit, in blocks for the caches. For each range of k and of columns,
// the team packs the right operand into shared scratch. Then each member packs rows of the left
// operand into its own scratch and multiplies them with the panels of its columns.
#include "megascale/kernels/cpu/matrix_unit/product.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <utility>

#include "megascale/kernels/cpu/matrix_unit/block.h"
#include "megascale/kernels/cpu/matrix_unit/panels.h"
#include "megascale/kernels/cpu/matrix_unit/pieces.h"

namespace megascale::kernels::cpu {
namespace {

// How many columns of the team and rows of one member are packed at a time. The packed rows stay in
// the second-level cache while the panels of columns pass by.
constexpr std::size_t kColumns = 3072, kRows = 256;

// Bytes of the packed parts of the operands. The team has one packed right operand; each member has
// a packed left operand of its own.
std::size_t right_bytes(const ProductShape& s) noexcept {
  return panels_of(std::min(s.n, kColumns)) * panel_bytes(std::min(s.k, kDepth));
}
std::size_t left_bytes(const ProductShape& s) noexcept {
  return panels_of(std::min(s.m, kRows)) * panel_bytes(std::min(s.k, kDepth));
}

// A team divides the rows x columns panels of the result among its members as a grid. Returns the
// height of the grid: how many members share a column of it. The best grid gives the busiest member
// the fewest blocks, and among equals the least to read.
std::size_t grid_height(std::size_t rows, std::size_t columns, std::size_t team) noexcept {
  const auto cost = [&](std::size_t height) {
    const std::size_t width = team / height, r = (rows + height - 1) / height,
                      c = (columns + width - 1) / width;
    return std::pair(r * c, r + c);
  };
  std::size_t best = 1;
  for (std::size_t height = 2; height <= team; ++height) {
    if (team % height == 0 && cost(height) < cost(best)) best = height;
  }
  return best;
}

// One member (thread) of the team that computes a product.
class Member {
 public:
  Member(const ProductShape& shape, const SplitOperands& operands, std::size_t place,
         std::size_t team) noexcept
      : shape_(shape),
        o_(operands),
        place_(place),
        team_(team),
        height_(grid_height(panels_of(shape.m), panels_of(shape.n), team)) {}

  void run() const noexcept {
    const TilesInUse tiles;
    const Lines right{o_.right, shape_.right_column, shape_.right_row, shape_.n, shape_.k};
    Pieces(shape_.k, kDepth, kStep).each([&](std::size_t k, std::size_t depth) {
      Pieces(shape_.n, kColumns, kPanel).each([&](std::size_t column, std::size_t columns) {
        pack_right(cut(right, column, columns, k, depth));
        wait();
        multiply(k, depth, column, columns);
        wait();
      });
    });
  }

 private:
  // Waits for the other members. A member alone must not wait: it may run inside another team.
  void wait() const noexcept {
    if (team_ == 1) return;
#ifdef _OPENMP
#pragma omp barrier
#endif
  }

  // Returns the panels [begin, end) of member `index` of `count`.
  struct Range {
    std::size_t begin, end;
  };
  static Range share(std::size_t panels, std::size_t index, std::size_t count) noexcept {
    return {panels * index / count, panels * (index + 1) / count};
  }

  void pack_right(const Lines& right) const noexcept {
    const Range mine = share(panels_of(right.lines), place_, team_);
    for (std::size_t p = mine.begin; p < mine.end; ++p) {
      const std::size_t line = p * kPanel;
      pack_panel(Side::right, cut(right, line, std::min(kPanel, right.lines - line), 0, right.k),
                 o_.scratch + p * panel_bytes(right.k));
    }
  }

  // Computes this member's blocks of the given columns. The right operand's panels must be in
  // scratch.
  void multiply(std::size_t k, std::size_t depth, std::size_t column,
                std::size_t columns) const noexcept {
    const Lines left{o_.left, shape_.left_row, shape_.left_column, shape_.m, shape_.k};
    const Range rows = share(panels_of(shape_.m), place_ % height_, height_);
    const Range mine = share(panels_of(columns), place_ / height_, team_ / height_);
    const std::size_t nbytes = panel_bytes(depth);
    std::byte* const packed = o_.scratch + right_bytes(shape_) + place_ * left_bytes(shape_);
    const std::size_t end = std::min(shape_.m, rows.end * kPanel);
    Pieces(rows.end * kPanel - rows.begin * kPanel, kRows, kPanel)
        .each([&](std::size_t offset, std::size_t count) {
          const std::size_t row = rows.begin * kPanel + offset;
          const std::size_t height = std::min(count, end - row);
          for (std::size_t r = 0; r < height; r += kPanel)
            pack_panel(Side::left, cut(left, row + r, std::min(kPanel, height - r), k, depth),
                       packed + r / kPanel * nbytes);
          for (std::size_t p = mine.begin; p < mine.end; ++p) {
            const std::size_t c = column + p * kPanel;
            for (std::size_t r = 0; r < height; r += kPanel) {
              multiply_panels(packed + r / kPanel * nbytes, o_.scratch + p * nbytes,
                              steps_of(depth),
                              {.result = o_.result + (row + r) * shape_.result_row + c,
                               .stride = shape_.result_row,
                               .rows = std::min(kPanel, height - r),
                               .columns = std::min(kPanel, column + columns - c),
                               .accumulate = o_.accumulate || k > 0,
                               .bias = k > 0 || o_.bias == nullptr ? nullptr : o_.bias + c});
            }
          }
        });
  }

  const ProductShape& shape_;
  const SplitOperands& o_;
  std::size_t place_, team_, height_;
};

}  // namespace

std::size_t split_scratch_bytes(const ProductShape& shape, std::size_t threads) noexcept {
  return right_bytes(shape) + threads * left_bytes(shape);
}

void split_product(const ProductShape& shape, const SplitOperands& operands,
                   std::size_t threads) noexcept {
#ifdef _OPENMP
  if (threads > 1) {
#pragma omp parallel num_threads(static_cast <int>(threads)) default(none) shared(shape, operands)
    Member(shape, operands, static_cast<std::size_t>(omp_get_thread_num()),
           static_cast<std::size_t>(omp_get_num_threads()))
        .run();
    return;
  }
#else
  static_cast<void>(threads);
#endif
  Member(shape, operands, 0, 1).run();
}

}  // namespace megascale::kernels::cpu
