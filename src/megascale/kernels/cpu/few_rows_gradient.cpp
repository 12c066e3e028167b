// The product in tiles that stay in registers: some outputs, and two vectors of inputs. A step of r reads
// one gradient of each output, and the two vectors of its row. Both are packed for that, so that what a tile
// reads lies one behind the other: elements of a column are a row apart, and would fall into one set of a cache.
#include "megascale/kernels/cpu/few_rows_gradient.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "megascale/kernels/cpu/cache_sets.h"
#include "megascale/kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/few_rows_gradient.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/outer_product-inl.h"
#include "megascale/kernels/cpu/simd-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_FEW_ROWS_GRADIENT_ONCE_
#define MEGASCALE_KERNELS_CPU_FEW_ROWS_GRADIENT_ONCE_
namespace megascale::kernels::cpu {
namespace {

// The floats of rows that are packed at a time: 256 KiB, half of a small second-level cache. Fewer rows have
// longer pieces packed, so that gradients are packed less often.
constexpr std::size_t kPackedFloats = kMostRowsOfGradient * 512;
// The most outputs of a tile, for any vectors.
constexpr std::size_t kMostOutputs = 12;
constexpr std::size_t kLineFloats = 16;  // of a cache line

}  // namespace
}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

static_assert(kOuterRows <= kMostOutputs);
static_assert(kPackedFloats / kMostRowsOfGradient % kOuterWidth == 0);
// The most tiles that read one panel of rows while it is in the first-level cache.
inline constexpr std::size_t kTiles = 4;

// One tile. `dy` has kOutputs floats for each row and `x` kOuterWidth; `dw` is the tile's first element, `width`
// of its columns exist (kWhole: all). The lines of `next`, the first element of the next tile, are fetched
// meanwhile.
template <std::size_t kOutputs, bool kWhole>
void compute_tile(const FewRowsGradient& p, const float* HWY_RESTRICT dy,
                  const float* HWY_RESTRICT x, float* HWY_RESTRICT dw, const float* next,
                  std::size_t width) {
  constexpr std::size_t kLines = (kOuterWidth + kLineFloats - 1) / kLineFloats;
  OuterSums<kOutputs> sums;
#pragma GCC unroll 12
  for (std::size_t o = 0; o < kOutputs; ++o) {
    sums[o][0] = sums[o][1] = zero();
    if (!p.accumulate) continue;
    each_vector<kWhole>(
        width, [&](std::size_t v, auto at) HWY_ATTR { sums[o][v] = at.load(dw + o * p.in); });
  }
  const std::size_t fetching = std::min(p.rows, kOutputs);
  for (std::size_t r = 0; r < fetching; ++r) {
#pragma GCC unroll 2
    for (std::size_t line = 0; line < kLines; ++line)
      __builtin_prefetch(next + line * kLineFloats, /*rw=*/1);
    next += p.in;
    add_outer_product(dy + r * kOutputs, x + r * kOuterWidth, sums);
  }
#pragma GCC unroll 2
  for (std::size_t r = fetching; r < p.rows; ++r)
    add_outer_product(dy + r * kOutputs, x + r * kOuterWidth, sums);
#pragma GCC unroll 12
  for (std::size_t o = 0; o < kOutputs; ++o) {
    each_vector<kWhole>(
        width, [&](std::size_t v, auto at) HWY_ATTR { at.store(sums[o][v], dw + o * p.in); });
  }
}

using TileFunction = void (*)(const FewRowsGradient&, const float*, const float*, float*,
                              const float*, std::size_t);
template <std::size_t... kLess>
constexpr TileFunction tile_of(std::size_t outputs, bool is_whole, std::index_sequence<kLess...>) {
  constexpr TileFunction kFunctions[][2] = {
      {compute_tile<kLess + 1, false>, compute_tile<kLess + 1, true>}...};
  return kFunctions[outputs - 1][is_whole];
}

// Packs `columns` columns of a matrix with rows of `stride` floats, from `from` on, in panels of `width`
// columns. Columns that do not exist are zero.
void pack_panels(const float* from, std::size_t stride, std::size_t rows, std::size_t columns,
                 std::size_t width, float* packed) {
  for (std::size_t at = 0; at < columns; at += width) {
    const std::size_t count = std::min(width, columns - at);
    for (std::size_t r = 0; r < rows; ++r) {
      std::memcpy(packed, from + r * stride + at, count * sizeof(float));
      std::fill(packed + count, packed + width, 0.0F);
      packed += width;
    }
  }
}

// Some columns of all rows, packed in panels of kOuterWidth.
struct PackedColumns {
  std::size_t begin, count;
  const float* panels;
};

// Computes these columns of `outputs` outputs from `first` on. `has_next`: further outputs follow. Their
// gradients and the lines that they begin with are fetched meanwhile.
void compute_group(const FewRowsGradient& p, std::size_t first, std::size_t outputs, bool has_next,
                   const PackedColumns& columns) {
  constexpr auto kAllOutputs = std::make_index_sequence<kOuterRows>();
  HWY_ALIGN float gradients[kMostRowsOfGradient * kTiles * kMostOutputs];
  for (std::size_t o = 0; o < outputs; o += kOuterRows) {
    const std::size_t of_tile = std::min(kOuterRows, outputs - o);
    pack_panels(p.dy + first + o, p.out, p.rows, of_tile, of_tile, gradients + o * p.rows);
  }
  const std::size_t rows_at_a_time = (p.rows * kOuterWidth + columns.count - 1) / columns.count;
  std::size_t rows_fetched = has_next ? 0 : p.rows;
  for (std::size_t at = 0; at < columns.count; at += kOuterWidth) {
    const std::size_t fetch_until = std::min(p.rows, rows_fetched + rows_at_a_time);
    for (; rows_fetched < fetch_until; ++rows_fetched) {
      const float* const next_row = p.dy + rows_fetched * p.out + first + outputs;
      for (std::size_t o = 0; o < outputs; o += kLineFloats) __builtin_prefetch(next_row + o);
    }
    const bool is_whole = columns.count - at >= kOuterWidth,
               is_last = at + kOuterWidth >= columns.count;
    for (std::size_t o = 0; o < outputs; o += kOuterRows) {
      float* const begin = p.dw + (first + o) * p.in + columns.begin;
      const float* next = begin + at + kOuterWidth;
      if (is_last) next = has_next ? begin + outputs * p.in : begin;
      tile_of(std::min(kOuterRows, outputs - o), is_whole, kAllOutputs)(
          p, gradients + o * p.rows, columns.panels + at * p.rows, begin + at, next,
          columns.count - at);
    }
  }
}

void few_rows_gradient(const FewRowsGradient& p, std::size_t first, std::size_t last,
                       float* packed) {
  // Lines of fewer tiles fit the sets that rows of dw share.
  const std::size_t group = (shares_sets(p.in) ? 2 : kTiles) * kOuterRows;
  const std::size_t width = kPackedFloats / p.rows / kOuterWidth * kOuterWidth;
  for (std::size_t begin = 0; begin < p.in; begin += width) {
    const PackedColumns columns{begin, std::min(width, p.in - begin), packed};
    pack_panels(p.x + begin, p.in, p.rows, columns.count, kOuterWidth, packed);
    for (std::size_t o = first; o < last; o += group)
      compute_group(p, o, std::min(group, last - o), o + group < last, columns);
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(few_rows_gradient);

std::size_t few_rows_gradient_scratch_bytes() noexcept { return kPackedFloats * sizeof(float); }

void multiply_few_rows_gradient(const FewRowsGradient& product, std::size_t first, std::size_t last,
                                std::byte* scratch) noexcept {
  HWY_DYNAMIC_DISPATCH(few_rows_gradient)(product, first, last, reinterpret_cast<float*>(scratch));
}

}  // namespace megascale::kernels::cpu
#endif
