// Input gradients of few rows with packed weights, in tiles that stay in registers: some rows, and two
// vectors of inputs. A step of o reads one gradient of each row, and the two vectors of the weights of
// an output. Weights of consecutive outputs are a row of w apart and fall into few sets of a cache, so
// those of a panel are copied to lie one behind the other. Where rows of dx share sets, too, sums are kept
// elsewhere until all outputs were added. This file is compiled once per other vector target (included
// after hwy/foreach_target.h and simd-inl.h).
#if defined(MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_PANELS_INL_H_
#undef MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_PANELS_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_PANELS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <utility>

#include "megascale/kernels/cpu/cache_sets.h"
#include "megascale/kernels/cpu/columns-inl.h"
#include "megascale/kernels/cpu/few_rows_input_gradient.h"
#include "megascale/kernels/cpu/outer_product-inl.h"
#include "megascale/kernels/cpu/simd-inl.h"

#if HWY_TARGET != HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// The rows whose gradients are packed at a time, and how many of each: 256 KiB, half of a small
// second-level cache. Sums are read and written once for each such block.
inline constexpr std::size_t kPanelRows = 256, kPanelDepth = 256;
// The sums that are kept: 256 KiB.
inline constexpr std::size_t kKeptSums = std::size_t{64} << 10;
// The inputs whose weights are packed at a time: 32 KiB, which the first-level cache holds.
inline constexpr std::size_t kPanelWidth = 32;
inline constexpr std::size_t kLineFloats = 16;  // of a cache line
inline constexpr std::size_t kStepsPerFetch = 8;

static_assert(kPanelWidth % kOuterWidth == 0);
static_assert(kKeptSums >= kPanelRows * kPanelWidth, "sums of all rows have room");

// Rows of w, as wide as a panel, that a tile fetches into the second-level cache, some every few
// steps.
struct Fetch {
  const float* row;
  std::size_t stride, rows, at_a_time;

  HWY_INLINE void advance() {
    for (std::size_t n = std::min(rows, at_a_time); n > 0; --n) {
#pragma GCC unroll 2
      for (std::size_t i = 0; i < kPanelWidth; i += kLineFloats)
        __builtin_prefetch(row + i, /*rw=*/0, /*locality=*/2);
      row += stride;
      --rows;
    }
  }
};

// Where the sums of a tile begin and end. Kept ones are kOuterWidth of each row. `dx`: the tile's first
// element; `adds`: to what it holds.
struct Sums {
  float *kept, *dx;
  bool begin_with_kept, end_in_dx, adds;
};

// One tile. `dy` has kRows floats for each of `depth` steps and `w` kOuterWidth; `width` of the columns
// of dx exist (kWhole: all). kKeeps: sums may be kept.
template <std::size_t kRows, bool kWhole, bool kKeeps>
void compute_tile(const FewRowsInputGradient& p, const float* HWY_RESTRICT dy,
                  const float* HWY_RESTRICT w, std::size_t depth, const Sums& of, std::size_t width,
                  Fetch fetch) {
  OuterSums<kRows> sums;
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    sums[r][0] = sums[r][1] = zero();
    if (kKeeps && of.begin_with_kept) {
      const float* const kept = of.kept + r * kOuterWidth;
      sums[r][0] = hn::Load(Tag(), kept);
      sums[r][1] = hn::Load(Tag(), kept + kLanes);
    }
    if (!kKeeps || of.end_in_dx) {
#pragma GCC unroll 2
      for (std::size_t i = 0; i < kOuterWidth; i += kLineFloats)
        __builtin_prefetch(of.dx + r * p.in + i, /*rw=*/1);
    }
  }
  std::size_t o = 0;
  for (; o + kStepsPerFetch <= depth; o += kStepsPerFetch) {
    fetch.advance();
#pragma GCC unroll 8
    for (std::size_t step = o; step < o + kStepsPerFetch; ++step)
      add_outer_product(dy + step * kRows, w + step * kOuterWidth, sums);
  }
  for (; o < depth; ++o) add_outer_product(dy + o * kRows, w + o * kOuterWidth, sums);
  if (kKeeps && !of.end_in_dx) {
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r) {
      float* const kept = of.kept + r * kOuterWidth;
      hn::Store(sums[r][0], Tag(), kept);
      hn::Store(sums[r][1], Tag(), kept + kLanes);
    }
    return;
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    float* const row = of.dx + r * p.in;
    each_vector<kWhole>(width, [&](std::size_t v, auto at) HWY_ATTR {
      at.store(of.adds ? hn::Add(at.load(row), sums[r][v]) : sums[r][v], row);
    });
  }
}

using TileFunction = void (*)(const FewRowsInputGradient&, const float*, const float*, std::size_t,
                              const Sums&, std::size_t, Fetch);
template <bool kKeeps, std::size_t... kLess>
constexpr TileFunction tile_of(std::size_t rows, bool is_whole, std::index_sequence<kLess...>) {
  constexpr TileFunction kFunctions[][2] = {
      {compute_tile<kLess + 1, false, kKeeps>, compute_tile<kLess + 1, true, kKeeps>}...};
  return kFunctions[rows - 1][is_whole];
}
constexpr TileFunction tile_of(std::size_t rows, bool is_whole, bool keeps) {
  constexpr auto kAllRows = std::make_index_sequence<kOuterRows>();
  return keeps ? tile_of<true>(rows, is_whole, kAllRows) : tile_of<false>(rows, is_whole, kAllRows);
}

// Packs `depth` elements of each of `rows` rows, from `from` on, in panels of kOuterRows rows.
// Vectors may be longer than the rows of a panel: what one writes behind them is overwritten by the
// next step or panel.
inline void pack_rows(const float* from, std::size_t stride, std::size_t rows, std::size_t depth,
                      float* packed) {
  constexpr std::size_t kVectors = (kOuterRows + kLanes - 1) / kLanes;
  for (std::size_t at = 0; at < rows; at += kOuterRows) {
    const std::size_t count = std::min(kOuterRows, rows - at);
    const std::size_t in_fours = at + kVectors * kLanes <= rows ? depth / kColumns * kColumns : 0;
    const float* const first = from + at * stride;
    for (std::size_t k = 0; k < in_fours; k += kColumns) {
      Columns columns[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v)
        columns[v] = load_columns(first + v * kLanes * stride + k, stride);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kColumns; ++c) {
        for (std::size_t v = 0; v < kVectors; ++v)
          hn::StoreU(columns[v].v[c], Tag(), packed + (k + c) * kOuterRows + v * kLanes);
      }
    }
    for (std::size_t k = in_fours; k < depth; ++k) {
      for (std::size_t r = 0; r < count; ++r) packed[k * count + r] = first[r * stride + k];
    }
    packed += count * depth;
  }
}

// Packs `columns` inputs of `depth` outputs, from `from` on, for tiles. Those that a tile does not
// have are not written: they only meet sums that nobody reads.
template <bool kWhole>
void pack_weights(const float* from, std::size_t stride, std::size_t depth, std::size_t columns,
                  float* packed) {
  for (std::size_t i = 0; i < columns; i += kOuterWidth) {
    for (std::size_t o = 0; o < depth; ++o) {
      each_vector<kWhole>(columns - i, [&](std::size_t, auto at) HWY_ATTR {
        hn::Store(at.load(from + o * stride + i), Tag(), packed + at.c);
      });
      packed += kOuterWidth;
    }
  }
}

// A block of the sum: some outputs of some rows. `dy`: their packed gradients. `kept`: room for the sums
// of the inputs that are computed.
struct Block {
  std::size_t row, rows, output, depth;
  const float* dy;
  float* kept;
};

// Computes `columns` inputs of a block from `input` on. `w`: their packed weights. `next`: the
// weights that are packed next, `next_depth` rows of them.
inline void compute_panel(const FewRowsInputGradient& p, const Block& block, std::size_t input,
                          std::size_t columns, const float* w, const float* next,
                          std::size_t next_depth) {
  const std::size_t tiles = (columns + kOuterWidth - 1) / kOuterWidth *
                            ((block.rows + kOuterRows - 1) / kOuterRows),
                    fetches = std::max<std::size_t>(1, block.depth / kStepsPerFetch),
                    of_tile = (next_depth + tiles - 1) / tiles;
  const bool keeps = shares_sets(p.in), is_first = block.output == 0,
             is_last = block.output + block.depth == p.out;
  std::size_t fetched = 0;
  for (std::size_t i = 0; i < columns; i += kOuterWidth) {
    for (std::size_t r = 0; r < block.rows; r += kOuterRows) {
      const std::size_t fetching = std::min(of_tile, next_depth - fetched);
      tile_of(std::min(kOuterRows, block.rows - r), columns - i >= kOuterWidth, keeps)(
          p, block.dy + r * block.depth, w + i * block.depth, block.depth,
          {.kept = block.kept + i * block.rows + r * kOuterWidth,
           .dx = p.dx + (block.row + r) * p.in + input + i,
           .begin_with_kept = keeps && !is_first,
           .end_in_dx = !keeps || is_last,
           .adds = p.accumulate || (!keeps && !is_first)},
          columns - i,
          {.row = next + fetched * p.in,
           .stride = p.in,
           .rows = fetching,
           .at_a_time = (fetching + fetches - 1) / fetches});
      fetched += fetching;
    }
  }
}

// Computes the inputs [first, last) of `rows` rows from `row` on. If sums are kept, there is room for them.
inline void compute_rows(const FewRowsInputGradient& p, std::size_t row, std::size_t rows,
                         std::size_t first, std::size_t last, float* scratch) {
  float* const weights = scratch;
  float* const gradients = scratch + kPanelWidth * kPanelDepth;
  float* const kept = gradients + kPanelRows * kPanelDepth;
  for (std::size_t o = 0; o < p.out; o += kPanelDepth) {
    Block block{row, rows, o, std::min(kPanelDepth, p.out - o), gradients, kept};
    pack_rows(p.dy + row * p.out + o, p.out, rows, block.depth, gradients);
    for (std::size_t i = first; i < last; i += kPanelWidth) {
      const std::size_t columns = std::min(kPanelWidth, last - i);
      const float* const w = p.w + o * p.in;
      (columns == kPanelWidth ? pack_weights<true> : pack_weights<false>)(w + i, p.in, block.depth,
                                                                          columns, weights);
      const bool is_last = i + kPanelWidth >= last;
      const float* const next = is_last ? w + block.depth * p.in + first : w + i + kPanelWidth;
      if (shares_sets(p.in)) block.kept = kept + (i - first) * rows;
      compute_panel(p, block, i, columns, weights, next,
                    is_last ? std::min(kPanelDepth, p.out - o - block.depth) : block.depth);
    }
  }
}

inline void few_rows_input_gradient(const FewRowsInputGradient& p, std::size_t first,
                                    std::size_t last, float* scratch) {
  for (std::size_t row = 0; row < p.rows; row += kPanelRows) {
    const std::size_t rows = std::min(kPanelRows, p.rows - row),
                      inputs = shares_sets(p.in) ? kKeptSums / rows / kPanelWidth * kPanelWidth
                                                 : last - first;
    for (std::size_t i = first; i < last; i += inputs)
      compute_rows(p, row, rows, i, std::min(last, i + inputs), scratch);
  }
}

inline constexpr std::size_t kInputGradientScratch =
    (kPanelWidth + kPanelRows) * kPanelDepth + kKeptSums;

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
