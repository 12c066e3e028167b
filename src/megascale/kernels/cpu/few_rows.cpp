// The product in tiles that stay in registers: some outputs, and two vectors of rows. A step of i
// reads one weight of each output, and the two vectors. Rows are packed for that, so that the elements i
// of all rows of a tile lie one after the other. Sums are vectors of rows, but rows of y are outputs, so
// a tile is transposed into a small copy, whose rows are then written one by one: lines of y that are a power of
// two apart share a set of a cache, so each is touched once. No prefetcher knows the weights with which the next
// tile begins, nor the lines of y, so both are fetched ahead.
#include "megascale/kernels/cpu/few_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "megascale/kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/few_rows.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/columns-inl.h"
#include "megascale/kernels/cpu/simd-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_FEW_ROWS_ONCE_
#define MEGASCALE_KERNELS_CPU_FEW_ROWS_ONCE_
namespace megascale::kernels::cpu {
namespace {

// The rows and the elements of each that are packed at a time: 256 KiB, half of a small second-level
// cache. Elements of y are read and written once for each such block.
constexpr std::size_t kPackedRows = 64, kDepth = 1024;
constexpr std::size_t kLineFloats = 16;  // of a cache line

}  // namespace
}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// A tile's sums, two vectors an output, and a step's operands fit the registers.
inline constexpr std::size_t kTileOutputs = HWY_TARGET == HWY_AVX3 ? 12 : 6;
inline constexpr std::size_t kTileRows = 2 * kLanes;
static_assert(kPackedRows % kTileRows == 0);

// Adds `depth` steps of i to the sums of a tile. `w`: the weights of its first output; the next output's
// lie `in` floats behind. `x` has kTileRows floats for each i. `next`: the weights of the next tile, which are
// fetched meanwhile; or null.
template <std::size_t kOutputs, std::size_t kVectors>
HWY_INLINE void multiply_tile(const float* HWY_RESTRICT w, std::size_t in,
                              const float* HWY_RESTRICT x, std::size_t depth,
                              const float* HWY_RESTRICT next, Vec (&sums)[kOutputs][kVectors]) {
  // Addresses of four outputs each: an x86 address is a base and once, twice or four times an index.
  constexpr std::size_t kGroups = (kOutputs + 3) / 4;
  const float* HWY_RESTRICT base[kGroups];
#pragma GCC unroll 3
  for (std::size_t g = 0; g < kGroups; ++g) base[g] = w + 4 * g * in;
  const std::size_t thrice = 3 * in;
#pragma GCC unroll 2
  for (std::size_t i = 0; i < depth; ++i) {
    if (i % kLineFloats == 0 && next != nullptr) {
#pragma GCC unroll 12
      for (std::size_t o = 0; o < kOutputs; ++o) __builtin_prefetch(next + o * in + i);
    }
    Vec rows[kVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) rows[v] = hn::Load(Tag(), x + v * kLanes);
#pragma GCC unroll 12
    for (std::size_t o = 0; o < kOutputs; ++o) {
      const float* const group = base[o / 4];
      const Vec weight = set(o % 4 == 3 ? group[thrice] : group[(o % 4) * in]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[o][v] = hn::MulAdd(weight, rows[v], sums[o][v]);
    }
#pragma GCC unroll 3
    for (std::size_t g = 0; g < kGroups; ++g) ++base[g];
    x += kTileRows;
  }
}

// A tile's outputs as they lie in y, a row after the other.
struct TileCopy {
  HWY_ALIGN float rows[kTileRows][kLineFloats];
};
static_assert(kTileOutputs <= kLineFloats);

// Column o of the rows from `row` on, where four columns at a time do not fit.
HWY_INLINE Vec load_column(const TileCopy& copy, std::size_t row, std::size_t o) {
  HWY_ALIGN float column[kLanes];
  for (std::size_t r = 0; r < kLanes; ++r) column[r] = copy.rows[row + r][o];
  return hn::Load(Tag(), column);
}
HWY_INLINE void store_column(Vec sums, TileCopy& copy, std::size_t row, std::size_t o) {
  HWY_ALIGN float column[kLanes];
  hn::Store(sums, Tag(), column);
  for (std::size_t r = 0; r < kLanes; ++r) copy.rows[row + r][o] = column[r];
}

// One tile: `y` is the first output of its first row, `rows` of its rows exist. `adds`: to what y holds.
// `next`: see multiply_tile().
template <std::size_t kOutputs, std::size_t kVectors>
void compute_tile(const FewRowsProduct& p, const float* w, const float* x, std::size_t depth,
                  const float* next, float* y, std::size_t rows, bool adds) {
  constexpr std::size_t kInFours = kOutputs / kColumns * kColumns;
  for (std::size_t r = 0; r < rows; ++r) __builtin_prefetch(y + r * p.out, /*rw=*/1);
  TileCopy copy = {};
  Vec sums[kOutputs][kVectors];
  if (adds) {
    for (std::size_t r = 0; r < rows; ++r)
      std::memcpy(copy.rows[r], y + r * p.out, kOutputs * sizeof(float));
  }
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kVectors; ++v) {
#pragma GCC unroll 3
    for (std::size_t o = 0; o < kInFours; o += kColumns) {
      const Columns columns = adds ? load_columns(copy.rows[v * kLanes] + o, kLineFloats)
                                   : Columns{{zero(), zero(), zero(), zero()}};
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kColumns; ++c) sums[o + c][v] = columns.v[c];
    }
#pragma GCC unroll 3
    for (std::size_t o = kInFours; o < kOutputs; ++o)
      sums[o][v] = adds ? load_column(copy, v * kLanes, o) : zero();
  }
  multiply_tile(w, p.in, x, depth, next, sums);
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kVectors; ++v) {
#pragma GCC unroll 3
    for (std::size_t o = 0; o < kInFours; o += kColumns) {
      store_columns({{sums[o][v], sums[o + 1][v], sums[o + 2][v], sums[o + 3][v]}},
                    copy.rows[v * kLanes] + o, kLineFloats);
    }
#pragma GCC unroll 3
    for (std::size_t o = kInFours; o < kOutputs; ++o) store_column(sums[o][v], copy, v * kLanes, o);
  }
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(y + r * p.out, copy.rows[r], kOutputs * sizeof(float));
}

using TileFunction = void (*)(const FewRowsProduct&, const float*, const float*, std::size_t,
                              const float*, float*, std::size_t, bool);
template <std::size_t... kLess>
constexpr TileFunction tile_of(std::size_t outputs, std::size_t vectors,
                               std::index_sequence<kLess...>) {
  constexpr TileFunction kTiles[][2] = {
      {compute_tile<kLess + 1, 1>, compute_tile<kLess + 1, 2>}...};
  return kTiles[outputs - 1][vectors - 1];
}

// Packs the elements [i, i + depth) of `rows` rows from `row` on, in panels of kTileRows rows. Rows that
// do not exist are zero.
void pack_rows(const FewRowsProduct& p, std::size_t row, std::size_t rows, std::size_t i,
               std::size_t depth, float* packed) {
  for (std::size_t at = 0; at < rows; at += kTileRows) {
    float* const panel = packed + at * depth;
    const std::size_t count = std::min(kTileRows, rows - at);
    const float* const x = p.x + (row + at) * p.in + i;
    const std::size_t in_fours = count == kTileRows ? depth / kColumns * kColumns : 0;
    for (std::size_t k = 0; k < in_fours; k += kColumns) {
#pragma GCC unroll 2
      for (std::size_t r = 0; r < kTileRows; r += kLanes) {
        const Columns columns = load_columns(x + r * p.in + k, p.in);
#pragma GCC unroll 4
        for (std::size_t c = 0; c < kColumns; ++c)
          hn::Store(columns.v[c], Tag(), panel + (k + c) * kTileRows + r);
      }
    }
    for (std::size_t k = in_fours; k < depth; ++k) {
      for (std::size_t r = 0; r < kTileRows; ++r)
        panel[k * kTileRows + r] = r < count ? x[r * p.in + k] : 0;
    }
  }
}

void few_rows(const FewRowsProduct& p, std::size_t first, std::size_t last, float* packed) {
  constexpr auto kAllOutputs = std::make_index_sequence<kTileOutputs>();
  for (std::size_t row = 0; row < p.rows; row += kPackedRows) {
    const std::size_t rows = std::min(kPackedRows, p.rows - row);
    for (std::size_t i = 0; i < p.in; i += kDepth) {
      const std::size_t depth = std::min(kDepth, p.in - i);
      pack_rows(p, row, rows, i, depth, packed);
      for (std::size_t output = first; output < last; output += kTileOutputs) {
        const std::size_t outputs = std::min(kTileOutputs, last - output);
        for (std::size_t at = 0; at < rows; at += kTileRows) {
          const std::size_t count = std::min(kTileRows, rows - at);
          tile_of(outputs, count > kLanes ? 2 : 1, kAllOutputs)(
              p, p.w + output * p.in + i, packed + at * depth, depth,
              at + kTileRows >= rows && output + 2 * kTileOutputs <= last
                  ? p.w + (output + kTileOutputs) * p.in + i
                  : nullptr,
              p.y + (row + at) * p.out + output, count, p.accumulate || i > 0);
        }
      }
    }
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(few_rows);

std::size_t few_rows_scratch_bytes() noexcept { return kPackedRows * kDepth * sizeof(float); }

void multiply_few_rows(const FewRowsProduct& product, std::size_t first, std::size_t last,
                       std::byte* scratch) noexcept {
  HWY_DYNAMIC_DISPATCH(few_rows)(product, first, last, reinterpret_cast<float*>(scratch));
}

}  // namespace megascale::kernels::cpu
#endif
