// The product in tiles of a few outputs and up to eight rows, whose sums stay in registers. A step of i
// reads a vector of each weight row and of each row, and multiplies all pairs. The lanes of a sum are
// added at the end, always in the same order. More rows than a tile has read the weights of the tile
// again, from the caches.
#include "megascale/kernels/cpu/dot_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/dot_rows.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Sums, weights and one vector of a row must fit into the registers: 32 with AVX-512, 16 without.
inline constexpr std::size_t kDotRows = kLanes >= 16 ? 8 : 4;
inline constexpr std::size_t kFewDotRows = 4;  // up to which a tile has more outputs
inline constexpr std::size_t kDotOutputs = kLanes >= 16 ? 3 : 2;
inline constexpr std::size_t kMoreDotOutputs = kLanes >= 16 ? 4 : 2;

// Computes `kOutputs` outputs of `kRows` rows; the pointers are those of the first of each.
template <std::size_t kRows, std::size_t kOutputs>
void dot_tile(const DotRowsProduct& p, const float* x, const float* w, const float* bias,
              float* y) {
  Vec sums[kRows][kOutputs];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t o = 0; o < kOutputs; ++o) sums[r][o] = zero();
  }
  for_each_vector(0, p.in, [&](auto at) HWY_ATTR {
    Vec weights[kOutputs];
#pragma GCC unroll 8
    for (std::size_t o = 0; o < kOutputs; ++o) {
      weights[o] = at.load(w + o * p.in);
      // The weights of the next tile. The processor's own prefetching loses them where a row of weights
      // ends; a single row computes so little that its loads run far ahead (decision 0033).
      if constexpr (kRows > 1)
        __builtin_prefetch(w + (o + kOutputs) * p.in + at.c, /*rw=*/0, /*locality=*/3);
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vec row = at.load(x + r * p.in);
#pragma GCC unroll 8
      for (std::size_t o = 0; o < kOutputs; ++o)
        sums[r][o] = hn::MulAdd(row, weights[o], sums[r][o]);
    }
  });
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t o = 0; o < kOutputs; ++o) {
      const float sum = hn::GetLane(hn::SumOfLanes(Tag(), sums[r][o]));
      y[r * p.out + o] = bias == nullptr ? sum : sum + bias[o];
    }
  }
}

using DotTile = void (*)(const DotRowsProduct&, const float*, const float*, const float*, float*);
template <std::size_t kOutputs, std::size_t... kLess>
constexpr DotTile dot_tile_of(std::size_t rows, std::index_sequence<kLess...>) {
  constexpr DotTile kTiles[] = {dot_tile<kLess + 1, kOutputs>...};
  return kTiles[rows - 1];
}

// Computes `kOutputs` outputs of all rows, from output `o` on.
template <std::size_t kOutputs>
void dot_outputs(const DotRowsProduct& p, std::size_t o) {
  for (std::size_t r = 0; r < p.rows; r += kDotRows) {
    const auto tile =
        dot_tile_of<kOutputs>(std::min(kDotRows, p.rows - r), std::make_index_sequence<kDotRows>());
    tile(p, p.x + r * p.in, p.w + o * p.in, p.bias == nullptr ? nullptr : p.bias + o,
         p.y + r * p.out + o);
  }
}

// Computes the outputs [first, last) of all rows.
void dot_rows(const DotRowsProduct& p, std::size_t first, std::size_t last) {
  std::size_t o = first;
  if (p.rows <= kFewDotRows) {
    for (; o + kMoreDotOutputs <= last; o += kMoreDotOutputs) dot_outputs<kMoreDotOutputs>(p, o);
  }
  for (; o + kDotOutputs <= last; o += kDotOutputs) dot_outputs<kDotOutputs>(p, o);
  for (; o < last; ++o) dot_outputs<1>(p, o);
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(dot_rows);

void multiply_dot_rows(const DotRowsProduct& product) noexcept {
  constexpr std::size_t kGrain = 48;  // outputs: a multiple of every tile
  const auto compute = HWY_DYNAMIC_DISPATCH(dot_rows);
  parallel_ranges(product.out, kGrain, product.rows * product.in * sizeof(float),
                  [&](std::size_t first, std::size_t last) { compute(product, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
