// Input gradients of few rows, in tiles that stay in registers: some inputs, and all vectors of rows.
// A step of o reads one weight of each input, which lie side by side in a row of w, and the gradients
// o of all rows. So weights are read where they lie, and gradients are packed. Several tiles need a line
// of weights, whose rows may fall into few sets of a cache, so the first of them leaves a copy. Sums are
// vectors of rows, but rows of dx are inputs. So sums are kept until all outputs were added, and are
// turned then. No prefetcher knows lines that are a row apart, so weights, gradients and results are
// fetched ahead. This file is compiled for AVX-512 (included after hwy/foreach_target.h and simd-inl.h).
#if defined(MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_LINES_INL_H_
#undef MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_LINES_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_LINES_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "megascale/kernels/cpu/cache_sets.h"
#include "megascale/kernels/cpu/columns-inl.h"
#include "megascale/kernels/cpu/few_rows_input_gradient.h"
#include "megascale/kernels/cpu/simd-inl.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// The most vectors of rows at a time.
inline constexpr std::size_t kLineVectors = 4;
// The inputs whose sums are kept: 256 KiB, half of a small second-level cache.
inline constexpr std::size_t kKeptInputs = 1024;
// The inputs of a line of weights, and those whose weights are fetched row by row: four lines that lie
// side by side come from the memory faster than single ones (decision 0031).
inline constexpr std::size_t kLineInputs = 16, kFetchedInputs = 4 * kLineInputs;
// The most outputs that are packed at a time.
inline constexpr std::size_t kLineDepth = 128;
// The inputs of a vector of rows that are turned at a time, in the same place, and the floats between rows
// there: a line more, so that rows do not fall into few sets of a cache. So many rows ahead dx is fetched.
inline constexpr std::size_t kTurnedInputs = 480, kTurnedStride = kTurnedInputs + kLineInputs,
                             kDxRowsAhead = 2;
inline constexpr std::size_t kInputGradientScratch =
    kLineVectors * kLanes * (kLineDepth + kKeptInputs) + kLineDepth * kLineInputs;
static_assert(kLineInputs == kLanes, "a vector copies a line");
static_assert(kTurnedStride <= kLineDepth * kLineVectors,
              "turned sums lie where gradients were packed");

// The outputs that are packed at a time: the first-level cache holds their gradients, 16 or 24 KiB for 64
// rows, and a copied line. If rows of w share sets of a cache, fewer rows fit those.
constexpr std::size_t depth_of(std::size_t vectors, std::size_t stride) {
  if (vectors == 1) return kLineDepth;
  return shares_sets(stride) ? 64 : 96;
}
// The inputs of a tile: with its sums the operands of a step fit the registers, and there are sums enough
// to keep both units busy.
constexpr std::size_t inputs_of_tile(std::size_t vectors) {
  return vectors == 1 ? 16 : vectors == 4 ? 6 : 8;
}

// Returns the lines of `floats` floats that begin with a line.
constexpr std::size_t lines_of(std::size_t floats) {
  return (floats + kLineInputs - 1) / kLineInputs;
}

// Some lines of a rectangle, row by row: from the line `at` of `row` on, whose rows have `of_row` lines.
struct Lines {
  const float* row = nullptr;
  std::size_t stride = 0, of_row = 1, at = 0, count = 0;

  HWY_INLINE void fetch() {
    __builtin_prefetch(row + at * kLineInputs);
    if (++at == of_row) {
      at = 0;
      row += stride;
    }
  }
  // Takes away the first lines, at most `most`, and returns them.
  Lines take(std::size_t most) {
    Lines taken = *this;
    taken.count = std::min(most, count);
    count -= taken.count;
    row += (at + taken.count) / of_row * stride;
    at = (at + taken.count) % of_row;
    return taken;
  }
};
inline Lines rectangle(const float* first, std::size_t stride, std::size_t rows,
                       std::size_t floats) {
  return {
      .row = first, .stride = stride, .of_row = lines_of(floats), .count = rows * lines_of(floats)};
}
// A tile fetches the lines of two rectangles.
using Fetches = std::array<Lines, 2>;

// The operands of a tile: `w`, its weights of the first of `depth` outputs, `stride` floats in front of
// those of the next, and `dy`, kVectors vectors for each output.
struct TileInput {
  const float *w, *dy;
  std::size_t stride, depth;
};

// One tile. `sums` has kVectors vectors for each input. `adds`: to what sums holds. kCopies: leaves the
// whole line of each output in `copy`.
template <std::size_t kInputs, std::size_t kVectors, bool kCopies>
void compute_line_tile(const TileInput& input, const Fetches& fetches, bool adds,
                       float* HWY_RESTRICT sums, [[maybe_unused]] float* HWY_RESTRICT copy) {
  const float* HWY_RESTRICT const w = input.w;
  const float* HWY_RESTRICT const dy = input.dy;
  const std::size_t stride = input.stride, depth = input.depth;
  Vec kept[kInputs][kVectors];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kInputs; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      kept[i][v] = adds ? hn::Load(Tag(), sums + (i * kVectors + v) * kLanes) : zero();
  }
  const auto step = [&](std::size_t o) HWY_ATTR {
    Vec rows[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      rows[v] = hn::Load(Tag(), dy + (o * kVectors + v) * kLanes);
    const float* const weights = w + o * stride;
    if constexpr (kCopies) hn::Store(hn::LoadU(Tag(), weights), Tag(), copy + o * kLineInputs);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kInputs; ++i) {
      const Vec weight = set(weights[i]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        kept[i][v] = hn::MulAdd(weight, rows[v], kept[i][v]);
    }
  };
  std::size_t o = 0;
  for (Lines lines : fetches) {
    for (const std::size_t end = std::min(depth, o + lines.count); o < end; ++o) {
      lines.fetch();
      step(o);
    }
  }
  for (; o < depth; ++o) step(o);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kInputs; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::Store(kept[i][v], Tag(), sums + (i * kVectors + v) * kLanes);
  }
}

using LineTile = void (*)(const TileInput&, const Fetches&, bool, float*, float*);
template <std::size_t kVectors, std::size_t... kLess>
LineTile line_tile(std::size_t inputs, std::index_sequence<kLess...>) {
  constexpr LineTile kTiles[] = {compute_line_tile<kLess + 1, kVectors, false>...};
  return kTiles[inputs - 1];
}
// Returns the tile of some inputs. `copies`: it has the most inputs.
template <std::size_t kVectors>
LineTile line_tile(std::size_t inputs, bool copies) {
  constexpr std::size_t kMost = inputs_of_tile(kVectors);
  if (copies) return compute_line_tile<kMost, kVectors, true>;
  return line_tile<kVectors>(inputs, std::make_index_sequence<kMost>());
}
inline LineTile line_tile(std::size_t inputs, std::size_t vectors, bool copies) {
  static_assert(kLineVectors == 4);
  switch (vectors) {
    case 1:
      return line_tile<1>(inputs, copies);
    case 2:
      return line_tile<2>(inputs, copies);
    case 3:
      return line_tile<3>(inputs, copies);
    default:
      return line_tile<4>(inputs, copies);
  }
}

// Rows that are computed together: `first` is the number of the first one, and `vectors` hold them.
struct Rows {
  std::size_t first, count, vectors;
};

// Packs `depth` gradients from `output` on of all rows: for each output the vectors of the rows. Rows that
// do not exist are zero.
inline void pack_gradients(const FewRowsInputGradient& p, const Rows& rows, std::size_t output,
                           std::size_t depth, float* packed) {
  const std::size_t stride = rows.vectors * kLanes;
  for (std::size_t row = 0; row < stride; row += kLanes) {
    const std::size_t count = std::min(kLanes, rows.count - row);
    const float* const dy = p.dy + (rows.first + row) * p.out + output;
    float* const to = packed + row;
    const std::size_t in_fours = count == kLanes ? depth / kColumns * kColumns : 0;
    for (std::size_t o = 0; o < in_fours; o += kColumns) {
      const Columns columns = load_columns(dy + o, p.out);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kColumns; ++c)
        hn::Store(columns.v[c], Tag(), to + (o + c) * stride);
    }
    for (std::size_t o = in_fours; o < depth; ++o) {
      for (std::size_t r = 0; r < kLanes; ++r)
        to[o * stride + r] = r < count ? dy[r * p.out + o] : 0;
    }
  }
}

// Lines that tiles fetch while they add: as many lines of weights as they read, and `few` other lines for
// each line of weights.
struct Beside {
  Lines weights, others;
  std::size_t few;
};

// Adds outputs to the sums of `inputs` inputs of a line. `copy` has room for the line of all outputs.
inline void add_line(const Rows& rows, TileInput from, std::size_t inputs, Beside& beside,
                     bool adds, float* sums, float* copy) {
  const std::size_t most = inputs_of_tile(rows.vectors), tiles = (inputs + most - 1) / most;
  const auto share = [&](std::size_t lines) { return (lines + tiles - 1) / tiles; };
  bool copies = tiles > 1 && inputs == kLineInputs && shares_sets(from.stride);
  for (std::size_t left = tiles, input = 0; left > 0; --left) {
    const std::size_t count = (inputs - input + left - 1) / left;
    line_tile(count, rows.vectors, copies)(
        from, {beside.weights.take(share(from.depth)), beside.others.take(share(beside.few))}, adds,
        sums + input * rows.vectors * kLanes, copy);
    if (copies) {
      from.w = copy;
      from.stride = kLineInputs;
      copies = false;
    }
    from.w += count;
    input += count;
  }
}

// Turns the sums of `inputs` inputs and writes them. `dx`: the first one's of the first row.
inline void write_sums(const FewRowsInputGradient& p, const Rows& rows, std::size_t inputs,
                       const float* sums, float* turned, float* dx) {
  const std::size_t stride = rows.vectors * kLanes;
  for (std::size_t row = 0; row < rows.count; row += kLanes) {
    for (std::size_t i = 0; i < inputs; i += kColumns) {
      Columns columns;
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kColumns; ++c)
        columns.v[c] = hn::Load(Tag(), sums + (i + c) * stride + row);
      store_columns(columns, turned + i, kTurnedStride);
    }
    const std::size_t end = std::min(row + kLanes, rows.count);
    for (std::size_t r = row; r < end; ++r) {
      float* const to = dx + r * p.in;
      if (r + kDxRowsAhead < rows.count) {
        for (std::size_t i = 0; i < inputs; i += kLineInputs)
          __builtin_prefetch(to + kDxRowsAhead * p.in + i, /*rw=*/1);
      }
      const float* const from = turned + (r - row) * kTurnedStride;
      for_each_vector(0, inputs, [&](auto at) HWY_ATTR {
        at.store(p.accumulate ? hn::Add(at.load(to), at.load(from)) : at.load(from), to);
      });
    }
  }
}

// Computes the inputs [first, last) of some rows. There are sums of so many.
inline void compute_inputs(const FewRowsInputGradient& p, const Rows& rows, std::size_t first,
                           std::size_t last, float* scratch) {
  const std::size_t stride = rows.vectors * kLanes;
  float* const packed = scratch;
  float* const copy = packed + kLineVectors * kLanes * kLineDepth;
  float* const sums = copy + kLineInputs * kLineDepth;
  const std::size_t lines = lines_of(last - first), most = depth_of(rows.vectors, p.in);
  for (std::size_t o = 0, depth = 0; o < p.out; o += depth) {
    depth = std::min(most, p.out - o);
    const std::size_t after = o + depth, next_depth = std::min(most, p.out - after);
    const float* const w = p.w + o * p.in;
    // Gradients that are packed next, or at last results that are written.
    Beside beside{.others = next_depth > 0 ? rectangle(p.dy + rows.first * p.out + after, p.out,
                                                       rows.count, next_depth)
                                           : rectangle(p.dx + rows.first * p.in + first, p.in,
                                                       rows.count, last - first)};
    beside.few = (beside.others.count + lines - 1) / lines;
    pack_gradients(p, rows, o, depth, packed);
    for (std::size_t i = first; i < last; i += kLineInputs) {
      if ((i - first) % kFetchedInputs == 0) {
        // Behind the last inputs come the first ones of the next outputs.
        const std::size_t next = i + kFetchedInputs;
        beside.weights =
            next < last ? rectangle(w + next, p.in, depth, std::min(kFetchedInputs, last - next))
                        : rectangle(w + depth * p.in + first, p.in, next_depth,
                                    std::min(kFetchedInputs, last - first));
      }
      add_line(rows, {w + i, packed, p.in, depth}, std::min(kLineInputs, last - i), beside, o > 0,
               sums + (i - first) * stride, copy);
    }
  }
  for (std::size_t i = first; i < last; i += kTurnedInputs) {
    write_sums(p, rows, std::min(kTurnedInputs, last - i), sums + (i - first) * stride, packed,
               p.dx + rows.first * p.in + i);
  }
}

inline void few_rows_input_gradient(const FewRowsInputGradient& p, std::size_t first,
                                    std::size_t last, float* scratch) {
  constexpr std::size_t kMost = kLineVectors * kLanes;
  for (std::size_t row = 0; row < p.rows; row += kMost) {
    const std::size_t count = std::min(kMost, p.rows - row);
    for (std::size_t i = first; i < last; i += kKeptInputs) {
      compute_inputs(p, {row, count, (count + kLanes - 1) / kLanes}, i,
                     std::min(last, i + kKeptInputs), scratch);
    }
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
