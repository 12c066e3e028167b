// Input gradients of few rows, in tiles that stay in registers: some inputs, and all vectors of rows.
// A step of o reads one weight of each input, which lie side by side in a row of w, and the gradients
// o of all rows. So weights are read where they lie, and gradients are packed. Sums are vectors of
// rows, but rows of dx are inputs. So sums are kept until all outputs were added, and are turned then.
// No prefetcher knows the weights of the next lines, which are a row of w apart, so they are fetched
// ahead. This file is compiled for AVX-512 (included after hwy/foreach_target.h and simd-inl.h).
#if defined(MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_LINES_INL_H_
#undef MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_LINES_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_INPUT_GRADIENT_LINES_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <utility>

#include "megascale/kernels/cpu/columns-inl.h"
#include "megascale/kernels/cpu/few_rows_input_gradient.h"
#include "megascale/kernels/cpu/simd-inl.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// The most vectors of rows at a time.
inline constexpr std::size_t kLineVectors = 4;
// The outputs that are packed at a time: 32 KiB, which the first-level cache holds.
inline constexpr std::size_t kLineDepth = 128;
// The inputs whose sums are kept: 256 KiB, half of a small second-level cache.
inline constexpr std::size_t kKeptInputs = 1024;
// The inputs of a line of weights, and so many inputs ahead weights are fetched.
inline constexpr std::size_t kLineInputs = 16, kInputsAhead = 32;
// The inputs that are turned at a time, and so many rows ahead dx is fetched.
inline constexpr std::size_t kTurnedInputs = 128, kDxRowsAhead = 4;
inline constexpr std::size_t kInputGradientScratch =
    kLineVectors * kLanes * (kLineDepth + kKeptInputs);
static_assert(kTurnedInputs <= kLineDepth, "turned sums lie where gradients were packed");

// The inputs of a tile: with its sums the operands of a step fit the registers, and there are sums enough
// to keep both units busy.
constexpr std::size_t inputs_of_tile(std::size_t vectors) {
  return vectors == 1 ? 16 : vectors == 4 ? 6 : 8;
}

// Rows of w that a tile fetches, a line of each.
struct Fetch {
  const float* row = nullptr;
  std::size_t stride = 0, rows = 0;
};

// One tile. `w`: its weights of the first of `depth` outputs, `stride` floats in front of those of the
// next. `dy` has kVectors vectors for each output, and `sums` for each input. `adds`: to what sums holds.
template <std::size_t kInputs, std::size_t kVectors>
void compute_line_tile(const float* HWY_RESTRICT w, std::size_t stride,
                       const float* HWY_RESTRICT dy, std::size_t depth, float* HWY_RESTRICT sums,
                       bool adds, const Fetch& fetch) {
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
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kInputs; ++i) {
      const Vec weight = set(weights[i]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        kept[i][v] = hn::MulAdd(weight, rows[v], kept[i][v]);
    }
  };
  const std::size_t fetching = std::min(depth, fetch.rows);
  for (std::size_t o = 0; o < fetching; ++o) {
    __builtin_prefetch(fetch.row + o * fetch.stride);
    step(o);
  }
  for (std::size_t o = fetching; o < depth; ++o) step(o);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kInputs; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::Store(kept[i][v], Tag(), sums + (i * kVectors + v) * kLanes);
  }
}

using LineTile = void (*)(const float*, std::size_t, const float*, std::size_t, float*, bool,
                          const Fetch&);
template <std::size_t kVectors, std::size_t... kLess>
LineTile line_tile(std::size_t inputs, std::index_sequence<kLess...>) {
  constexpr LineTile kTiles[] = {compute_line_tile<kLess + 1, kVectors>...};
  return kTiles[inputs - 1];
}
template <std::size_t kVectors>
LineTile line_tile(std::size_t inputs) {
  return line_tile<kVectors>(inputs, std::make_index_sequence<inputs_of_tile(kVectors)>());
}
inline LineTile line_tile(std::size_t inputs, std::size_t vectors) {
  static_assert(kLineVectors == 4);
  switch (vectors) {
    case 1:
      return line_tile<1>(inputs);
    case 2:
      return line_tile<2>(inputs);
    case 3:
      return line_tile<3>(inputs);
    default:
      return line_tile<4>(inputs);
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

// Adds `depth` outputs to the sums of `inputs` inputs of a line. `w`: their weights of the first output.
// `next`: the line that is fetched; or null.
inline void add_line(const FewRowsInputGradient& p, const Rows& rows, const float* w,
                     std::size_t inputs, const float* dy, std::size_t depth, float* sums, bool adds,
                     const float* next) {
  const std::size_t most = inputs_of_tile(rows.vectors), tiles = (inputs + most - 1) / most,
                    of_tile = (depth + tiles - 1) / tiles;
  std::size_t input = 0, fetched = 0;
  for (std::size_t left = tiles; left > 0; --left) {
    const std::size_t count = (inputs - input + left - 1) / left,
                      fetching = next == nullptr ? 0 : std::min(of_tile, depth - fetched);
    line_tile(count, rows.vectors)(
        w + input, p.in, dy, depth, sums + input * rows.vectors * kLanes, adds,
        {.row = next + fetched * p.in, .stride = p.in, .rows = fetching});
    input += count;
    fetched += fetching;
  }
}

// Turns the sums of `inputs` inputs and writes them. `dx`: the first one's of the first row.
inline void write_sums(const FewRowsInputGradient& p, const Rows& rows, std::size_t inputs,
                       const float* sums, float* turned, float* dx) {
  const std::size_t stride = rows.vectors * kLanes;
  for (std::size_t i = 0; i < inputs; i += kColumns) {
    for (std::size_t row = 0; row < stride; row += kLanes) {
      Columns columns;
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kColumns; ++c)
        columns.v[c] = hn::Load(Tag(), sums + (i + c) * stride + row);
      store_columns(columns, turned + row * kTurnedInputs + i, kTurnedInputs);
    }
  }
  for (std::size_t r = 0; r < rows.count; ++r) {
    float* const row = dx + r * p.in;
    if (r + kDxRowsAhead < rows.count) {
      for (std::size_t i = 0; i < inputs; i += kLineInputs)
        __builtin_prefetch(row + kDxRowsAhead * p.in + i, /*rw=*/1);
    }
    const float* const from = turned + r * kTurnedInputs;
    for_each_vector(0, inputs, [&](auto at) HWY_ATTR {
      at.store(p.accumulate ? hn::Add(at.load(row), at.load(from)) : at.load(from), row);
    });
  }
}

// Computes the inputs [first, last) of some rows. There are sums of so many.
inline void compute_inputs(const FewRowsInputGradient& p, const Rows& rows, std::size_t first,
                           std::size_t last, float* scratch) {
  const std::size_t stride = rows.vectors * kLanes;
  float* const packed = scratch;
  float* const sums = packed + kLineVectors * kLanes * kLineDepth;
  for (std::size_t o = 0; o < p.out; o += kLineDepth) {
    const std::size_t depth = std::min(kLineDepth, p.out - o);
    const float* const w = p.w + o * p.in;
    pack_gradients(p, rows, o, depth, packed);
    for (std::size_t i = first; i < last; i += kLineInputs) {
      const std::size_t ahead = i + kInputsAhead;
      const float* next = ahead < last ? w + ahead : nullptr;
      // The first lines of the next outputs.
      if (ahead >= last && o + 2 * kLineDepth <= p.out && first + ahead - last < last)
        next = w + kLineDepth * p.in + first + ahead - last;
      add_line(p, rows, w + i, std::min(kLineInputs, last - i), packed, depth,
               sums + (i - first) * stride, o > 0, next);
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
