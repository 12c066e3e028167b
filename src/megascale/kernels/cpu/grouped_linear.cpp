// Products of experts. An expert runs in one of three ways, which depends on the product and on the
// number of its rows. As parts: the results of all such experts are cut into parts that the threads
// take one by one, so no thread waits between experts, and one expert alone still occupies every
// thread. As a whole product on the matrix unit, whose packed operands serve the whole team. Or by
// oneDNN.
//
// Parts run on the matrix unit, if there is one and the expert has rows enough. Others run on vector
// units, where that is faster than oneDNN (decision 0031).
#include "megascale/kernels/cpu/grouped_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/kernels/cpu/few_rows.h"
#include "megascale/kernels/cpu/few_rows_gradient.h"
#include "megascale/kernels/cpu/few_rows_input_gradient.h"
#include "megascale/kernels/cpu/gemm_config.h"
#include "megascale/kernels/cpu/matrix_unit/part.h"
#include "megascale/kernels/cpu/matrix_unit/pieces.h"
#include "megascale/kernels/cpu/matrix_unit/product.h"
#include "megascale/kernels/cpu/matrix_unit/unit.h"
#include "megascale/kernels/cpu/onednn_product.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/cpu/units.h"

namespace megascale::kernels::cpu {
namespace {

// The smallest features for which the matrix unit is used, as in gemm.cpp.
constexpr std::size_t kSmallestExtent = 128;

// The rows of an expert from which it runs on the matrix unit, in parts, and from which it runs as a
// whole (measured: decision 0013). With fewer rows the packing of its weights would cost more than the
// unit saves. With many rows, parts would pack the weights several times.
struct Thresholds {
  std::size_t parts, whole;
};
constexpr Thresholds thresholds_of(GemmKind kind) noexcept {
  switch (kind) {
    case GemmKind::forward:
      return {.parts = 32, .whole = 1024};
    case GemmKind::input_gradient:
      return {.parts = 128, .whole = 384};
    case GemmKind::weight_gradient:
      break;
  }
  return {.parts = 48, .whole = 384};
}

// The longest and the shortest part of a result along its long extent: the columns of rows of
// experts, or the rows of a weight gradient. Each part packs what it shares with its neighbours,
// which costs about 2 % of the work on the longest.
constexpr std::size_t kLongestPart = 3072, kShortestPart = 256;
// Parts per thread: with fewer, a thread may wait long for the last one of another.
constexpr std::size_t kPartsPerThread = 4;

// Bytes of packed columns of a weight gradient's part, which stay in the second-level cache.
constexpr std::size_t kColumnBytes = 8 * panel_bytes(kDepth);

// Bytes between the scratch of two threads. Where one began behind the end of the other, products were up to
// 20 % slower (measured: decision 0031).
constexpr std::size_t kScratchGap = 65536;

GemmConfig product_of(const GroupedLinearConfig& c) {
  return with_defaults({.kind = c.kind,
                        .rows = c.rows,
                        .in = c.in,
                        .out = c.out,
                        .accumulate = c.accumulate,
                        .dynamic_rows = true,
                        .matrix_unit = c.matrix_unit,
                        .threads = c.threads});
}

GroupedLinearConfig with_grouped_defaults(GroupedLinearConfig c) {
  if (c.experts == 0)
    throw Error(ErrorCode::bad_usage, "grouped linear: experts is 0, it must be at least 1");
  c.threads = product_of(c).threads;
  return c;
}

// Returns whether experts may run on the matrix unit; which do, depends on their rows.
bool unit_is_used(const GroupedLinearConfig& c) {
  return c.matrix_unit && std::min(c.in, c.out) >= kSmallestExtent &&
         c.rows >= thresholds_of(c.kind).parts && matrix_unit_available();
}

// The most rows of an expert that is computed on vector units rather than by oneDNN (measured:
// decision 0031), and the bytes of scratch of one thread for it.
struct OnVectors {
  std::size_t most_rows, scratch_nbytes;
};
OnVectors on_vectors(const GroupedLinearConfig& c) {
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  switch (c.kind) {
    case GemmKind::forward:
      return {kAny, few_rows_scratch_bytes()};
    case GemmKind::input_gradient:
      return {few_rows_input_gradient_most_rows(c.in), few_rows_input_gradient_scratch_bytes()};
    case GemmKind::weight_gradient:
      break;
  }
  return {kMostRowsOfGradient, few_rows_gradient_scratch_bytes()};
}

// Returns whether oneDNN may compute experts.
bool onednn_is_used(const GroupedLinearConfig& c) { return c.rows > on_vectors(c).most_rows; }

// Returns the bytes of scratch of one thread for parts, without the gap behind it.
std::size_t used_scratch(const GroupedLinearConfig& c) {
  const std::size_t nbytes = on_vectors(c).scratch_nbytes;
  if (!unit_is_used(c)) return nbytes;
  const ProductShape s = shape_of(product_of(c));
  if (c.kind != GemmKind::weight_gradient) return std::max(nbytes, part_scratch_bytes(s));
  const std::size_t k = std::min(s.k, thresholds_of(c.kind).whole);
  return std::max(nbytes, kColumnBytes + split_scratch_bytes({.m = s.m, .n = 1, .k = k}, 1));
}

// Returns the bytes from the scratch of one thread to that of the next.
std::size_t thread_scratch(const GroupedLinearConfig& c) { return used_scratch(c) + kScratchGap; }

std::size_t scratch_of(const GroupedLinearConfig& c) {
  std::size_t nbytes = c.threads * thread_scratch(c);
  if (onednn_is_used(c)) nbytes = std::max(nbytes, OnednnProduct::scratch_bytes(product_of(c)));
  if (!unit_is_used(c)) return nbytes;
  return std::max(nbytes, split_scratch_bytes(shape_of(product_of(c)), c.threads));
}

// The way in which an expert's product runs: not at all, by oneDNN, in parts on vector units or on the
// matrix unit, or there as a whole.
enum class Way : std::uint8_t { none, onednn, vectors, parts, whole };

// How the result of one expert is cut: a grid of parts that are at most `longest` along the long
// extent. Along the other one a part on the matrix unit is bounded by the caches.
struct Grid {
  Pieces rows, columns;
  std::size_t row_count, column_count;

  Grid(GemmKind kind, const ProductShape& s, Way way, std::size_t longest)
      : rows(s.m, kind == GemmKind::weight_gradient ? longest : row_extent(s, way), kPanel),
        columns(s.n, kind == GemmKind::weight_gradient ? column_extent(s, way) : longest, kPanel),
        row_count((s.m + rows.size - 1) / rows.size),
        column_count((s.n + columns.size - 1) / columns.size) {}
  [[nodiscard]] std::size_t parts() const noexcept { return row_count * column_count; }
  [[nodiscard]] Rectangle part(std::size_t index) const noexcept {
    const std::size_t row = index / column_count * rows.size,
                      column = index % column_count * columns.size;
    return {.row = row,
            .rows = std::min(rows.size, rows.count - row),
            .column = column,
            .columns = std::min(columns.size, columns.count - column)};
  }

 private:
  [[nodiscard]] static std::size_t row_extent(const ProductShape& s, Way way) noexcept {
    return way == Way::vectors ? s.m : part_rows(s);
  }
  // Returns the columns of a weight gradient whose packed form fits.
  [[nodiscard]] static std::size_t column_extent(const ProductShape& s, Way way) noexcept {
    if (way == Way::vectors) return s.n;
    return kColumnBytes / panel_bytes(std::min(s.k, kDepth)) * kPanel;
  }
};

// Computes a part of a weight gradient: a small product of its own, by the calling thread.
void multiply_weight_part(ProductShape s, SplitOperands o, const Rectangle& part) noexcept {
  o.left += part.row * s.left_row;
  o.right += part.column * s.right_column;
  o.result += part.row * s.result_row + part.column;
  s.m = part.rows;
  s.n = part.columns;
  split_product(s, o, 1);
}

}  // namespace

struct GroupedLinear::Impl {
  GroupedLinearConfig config;
  ProductShape shape;  // with the bound as rows
  bool unit;
  std::size_t thread_scratch_nbytes;
  std::size_t most_on_vectors;
  std::optional<OnednnProduct> onednn;

  explicit Impl(const GroupedLinearConfig& c)
      : config(c),
        shape(shape_of(product_of(c))),
        unit(unit_is_used(c)),
        thread_scratch_nbytes(thread_scratch(c)),
        most_on_vectors(on_vectors(c).most_rows) {
    if (onednn_is_used(c)) onednn.emplace(product_of(c));
  }

  [[nodiscard]] bool of_weights() const noexcept {
    return config.kind == GemmKind::weight_gradient;
  }
  [[nodiscard]] Way way(std::size_t rows) const noexcept {
    if (rows == 0) return Way::none;
    const Thresholds from = thresholds_of(config.kind);
    if (!unit || rows < from.parts) {
      return rows > most_on_vectors ? Way::onednn : Way::vectors;
    }
    return rows < from.whole ? Way::parts : Way::whole;
  }
  [[nodiscard]] bool is_in_parts(std::size_t rows) const noexcept {
    return way(rows) == Way::vectors || way(rows) == Way::parts;
  }
  [[nodiscard]] ProductShape shape_with(std::size_t rows) const noexcept {
    ProductShape s = shape;
    (of_weights() ? s.k : s.m) = rows;
    return s;
  }
  // Returns the operands of expert `e`, whose first row is `row`.
  [[nodiscard]] SplitOperands expert(const GroupedLinearOperands& o, std::size_t e,
                                     std::size_t row) const noexcept {
    const std::size_t weights = e * config.in * config.out;
    const std::size_t x = row * config.in, y = row * config.out;
    switch (config.kind) {
      case GemmKind::forward:
        return at(o, x, weights, y);
      case GemmKind::input_gradient:
        return at(o, y, weights, x);
      case GemmKind::weight_gradient:
        break;
    }
    return at(o, y, x, weights);
  }
  [[nodiscard]] SplitOperands at(const GroupedLinearOperands& o, std::size_t left,
                                 std::size_t right, std::size_t result) const noexcept {
    return {.left = o.left + left,
            .right = o.right + right,
            .result = o.result + result,
            .scratch = o.scratch,
            .accumulate = config.accumulate};
  }

  // Calls body(expert, first row, rows) for every expert, in order.
  template <class Body>
  void each(const GroupedLinearOperands& o, const Body& body) const noexcept {
    std::size_t row = 0;
    for (std::size_t e = 0; e < config.experts; ++e) {
      const auto rows = static_cast<std::size_t>(o.counts[e]);
      body(e, row, rows);
      row += rows;
    }
  }

  // Returns the number of parts of all experts that run as parts.
  [[nodiscard]] std::size_t parts(const GroupedLinearOperands& o,
                                  std::size_t longest) const noexcept {
    std::size_t sum = 0;
    each(o, [&](std::size_t, std::size_t, std::size_t rows) {
      if (is_in_parts(rows)) sum += Grid(config.kind, shape_with(rows), way(rows), longest).parts();
    });
    return sum;
  }
  // Returns the length of parts: as long as possible, but with enough parts for the team.
  [[nodiscard]] std::size_t length(const GroupedLinearOperands& o) const noexcept {
    const std::size_t fewest = parts(o, kLongestPart), wanted = kPartsPerThread * config.threads;
    if (fewest == 0 || fewest >= wanted) return kLongestPart;
    const std::size_t pieces = (wanted + fewest - 1) / fewest,
                      extent = std::min(of_weights() ? shape.m : shape.n, kLongestPart);
    return std::max(kShortestPart, (extent + pieces - 1) / pieces);
  }

  // Computes a part on vector units.
  void multiply_few(const SplitOperands& o, std::size_t rows,
                    const Rectangle& part) const noexcept {
    const std::size_t in = config.in, out = config.out;
    const bool accumulate = config.accumulate;
    switch (config.kind) {
      case GemmKind::forward:
        return multiply_few_rows({.x = o.left,
                                  .w = o.right,
                                  .y = o.result,
                                  .rows = rows,
                                  .in = in,
                                  .out = out,
                                  .accumulate = accumulate},
                                 part.column, part.column + part.columns, o.scratch);
      case GemmKind::input_gradient:
        return multiply_few_rows_input_gradient({.dy = o.left,
                                                 .w = o.right,
                                                 .dx = o.result,
                                                 .rows = rows,
                                                 .in = in,
                                                 .out = out,
                                                 .accumulate = accumulate},
                                                part.column, part.column + part.columns, o.scratch);
      case GemmKind::weight_gradient:
        return multiply_few_rows_gradient({.dy = o.left,
                                           .x = o.right,
                                           .dw = o.result,
                                           .rows = rows,
                                           .in = in,
                                           .out = out,
                                           .accumulate = accumulate},
                                          part.row, part.row + part.rows, o.scratch);
    }
  }

  void run_part(const GroupedLinearOperands& o, std::size_t longest, std::size_t index,
                std::size_t thread) const noexcept {
    each(o, [&](std::size_t e, std::size_t row, std::size_t rows) {
      if (!is_in_parts(rows)) return;
      const ProductShape s = shape_with(rows);
      const Grid grid(config.kind, s, way(rows), longest);
      if (index < grid.parts()) {
        SplitOperands operands = expert(o, e, row);
        operands.scratch += thread * thread_scratch_nbytes;
        const Rectangle part = grid.part(index);
        if (way(rows) == Way::vectors) {
          multiply_few(operands, rows, part);
        } else if (of_weights()) {
          multiply_weight_part(s, operands, part);
        } else {
          split_part(s, operands, part);
        }
      }
      index -= grid.parts();  // wraps around once the part is done, and then fits no grid
    });
  }

  void run_alone(const GroupedLinearOperands& o, std::size_t e, std::size_t row,
                 std::size_t rows) const noexcept {
    const SplitOperands operands = expert(o, e, row);
    switch (way(rows)) {
      case Way::whole:
        split_product(shape_with(rows), operands, config.threads);
        break;
      case Way::none:
        if (of_weights() && !config.accumulate)
          std::memset(operands.result, 0, config.in * config.out * sizeof(float));
        break;
      case Way::onednn:
        onednn->run({.left = operands.left,
                     .right = operands.right,
                     .result = operands.result,
                     .scratch = operands.scratch,
                     .rows = rows});
        break;
      case Way::vectors:
      case Way::parts:
        break;
    }
  }
};

std::size_t grouped_linear_scratch_bytes(const GroupedLinearConfig& config) {
  return scratch_of(with_grouped_defaults(config));
}

GroupedLinear::GroupedLinear(const GroupedLinearConfig& config)
    : config_(with_grouped_defaults(config)),
      scratch_bytes_(scratch_of(config_)),
      impl_(std::make_unique<Impl>(config_)) {}

GroupedLinear::~GroupedLinear() = default;
GroupedLinear::GroupedLinear(GroupedLinear&&) noexcept = default;
GroupedLinear& GroupedLinear::operator=(GroupedLinear&&) noexcept = default;

void GroupedLinear::run(const GroupedLinearOperands& o) const noexcept {
  MEGASCALE_CHECK(team_size() == config_.threads,
                  "a grouped linear runs with the team size it was prepared for");
  MEGASCALE_CHECK(reinterpret_cast<std::uintptr_t>(o.scratch) % 64 == 0 &&
                      (o.scratch != nullptr || scratch_bytes_ == 0),
                  "a grouped linear needs scratch, aligned to 64 bytes");
  std::int64_t left = static_cast<std::int64_t>(config_.rows);
  for (std::size_t e = 0; e < config_.experts; ++e) {
    MEGASCALE_CHECK(o.counts[e] >= 0 && o.counts[e] <= left,
                    "a grouped linear has at most the rows it was prepared for");
    left -= o.counts[e];
  }
  const std::size_t length = impl_->length(o);
  for_each_unit(
      impl_->parts(o, length), config_.threads,
      [&](std::size_t part, std::size_t thread) { impl_->run_part(o, length, part, thread); });
  impl_->each(o, [&](std::size_t e, std::size_t row, std::size_t rows) {
    impl_->run_alone(o, e, row, rows);
  });
}

}  // namespace megascale::kernels::cpu
