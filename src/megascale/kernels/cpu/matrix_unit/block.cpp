// Products of packed panels on AMX tiles. Four accumulator tiles form a block of 32 x 32; each
// operand value is the sum of three bfloat16 parts, so each step multiplies six pairs of parts.
#include "megascale/kernels/cpu/matrix_unit/block.h"

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "megascale/kernels/cpu/matrix_unit/target.h"

namespace megascale::kernels::cpu {
namespace {

constexpr int kRowBytes = 64;

// The configuration that the instruction LDTILECFG reads: all eight tiles have full size.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  constexpr TileConfiguration() {
    for (int tile = 0; tile < 8; ++tile) {
      row_bytes[tile] = kRowBytes;
      rows[tile] = kTile;
    }
  }
};
// A constant on purpose: g++ 12 assumes that the instruction reads only the first bytes, and would
// omit stores to the rest of a local variable.
constexpr TileConfiguration kConfiguration;

constexpr std::size_t kPartBytes = 2 * kTileBytes;  // one part of a panel's step: two tiles

// Prefetches the cache lines of the result, a few in each step. Prefetching all at once would delay
// the reads of the panels.
[[gnu::always_inline]] MEGASCALE_MATRIX_UNIT inline void fetch(const Block& block, std::size_t step,
                                                               std::size_t steps) noexcept {
  const std::size_t end = block.rows * (step + 1) / steps;
  for (std::size_t r = block.rows * step / steps; r < end; ++r) {
    const float* row = block.result + r * block.stride;
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + block.columns / 2, 1);
    __builtin_prefetch(row + block.columns - 1, 1);
  }
}

// Prefetches the lines of `ahead` that are due in a step.
[[gnu::always_inline]] MEGASCALE_MATRIX_UNIT inline void fetch(const Ahead& ahead, std::size_t step,
                                                               std::size_t steps) noexcept {
  const std::size_t lines = ahead.end - ahead.begin, row_lines = ahead.row_lines();
  const std::size_t first = ahead.begin + lines * step / steps,
                    last = ahead.begin + lines * (step + 1) / steps;
  const float* row = ahead.data + first / row_lines * ahead.stride;
  std::size_t line = first % row_lines;
  for (std::size_t i = first; i < last; ++i) {
    _mm_prefetch(row + std::min(line * Ahead::kLine, ahead.columns - 1), _MM_HINT_T1);
    if (++line == row_lines) {
      line = 0;
      row += ahead.stride;
    }
  }
}

// Writes the sums to the result, with bias and the old content if the block asks for them.
MEGASCALE_MATRIX_UNIT void add_to_result(const float (*sums)[kPanel], const Block& block) noexcept {
  for (std::size_t begin = 0; begin < block.columns; begin += kTile) {
    const std::size_t columns = block.columns - begin;
    const auto mask = static_cast<__mmask16>(columns < kTile ? (1U << columns) - 1 : 0xFFFFU);
    const __m512 bias = block.bias == nullptr ? _mm512_setzero_ps()
                                              : _mm512_maskz_loadu_ps(mask, block.bias + begin);
    for (std::size_t r = 0; r < block.rows; ++r) {
      float* result = block.result + r * block.stride + begin;
      __m512 sum = _mm512_load_ps(sums[r] + begin);
      if (block.bias != nullptr) sum = _mm512_add_ps(sum, bias);
      if (block.accumulate) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, result));
      _mm512_mask_storeu_ps(result, mask, sum);
    }
  }
}

// Adds the sums of a block of full size to the result.
MEGASCALE_MATRIX_UNIT void add_full(const float (*sums)[kPanel], const Block& block) noexcept {
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kPanel; ++r) {
    float* result = block.result + r * block.stride;
    const __m512 low = _mm512_load_ps(sums[r]), high = _mm512_load_ps(sums[r] + kTile);
    _mm512_storeu_ps(result, _mm512_add_ps(low, _mm512_loadu_ps(result)));
    _mm512_storeu_ps(result + kTile, _mm512_add_ps(high, _mm512_loadu_ps(result + kTile)));
  }
}

MEGASCALE_MATRIX_UNIT void configure() noexcept { _tile_loadconfig(&kConfiguration); }

MEGASCALE_MATRIX_UNIT void release() noexcept { _tile_release(); }

}  // namespace

// g++ does not compile constructors for another target, so they call the functions above.
TilesInUse::TilesInUse() noexcept { configure(); }

TilesInUse::~TilesInUse() { release(); }

// Tiles 0 to 3 hold the sums, 4 and 5 a part of the left panel, 6 and 7 a part of the right panel.
// These are macros since the instructions need the tile numbers as constants.
#define MEGASCALE_LEFT(part)                           \
  _tile_loadd(4, left + (part)*kPartBytes, kRowBytes); \
  _tile_loadd(5, left + (part)*kPartBytes + kTileBytes, kRowBytes)
#define MEGASCALE_RIGHT(part)                           \
  _tile_loadd(6, right + (part)*kPartBytes, kRowBytes); \
  _tile_loadd(7, right + (part)*kPartBytes + kTileBytes, kRowBytes)
#define MEGASCALE_MULTIPLY() \
  _tile_dpbf16ps(0, 4, 6);   \
  _tile_dpbf16ps(1, 4, 7);   \
  _tile_dpbf16ps(2, 5, 6);   \
  _tile_dpbf16ps(3, 5, 7)

// Stores the four tiles of sums to rows that are `stride` floats apart.
[[gnu::always_inline]] MEGASCALE_MATRIX_UNIT inline void store_sums(float* to,
                                                                    std::size_t stride) noexcept {
  const std::size_t nbytes = stride * sizeof(float);
  _tile_stored(0, to, nbytes);
  _tile_stored(1, to + kTile, nbytes);
  _tile_stored(2, to + kTile * stride, nbytes);
  _tile_stored(3, to + kTile * stride + kTile, nbytes);
}

MEGASCALE_MATRIX_UNIT void multiply_panels(const std::byte* left, const std::byte* right,
                                           std::size_t steps, const Block& block,
                                           const Ahead& ahead) noexcept {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::size_t step = 0; step < steps; ++step, left += kStepBytes, right += kStepBytes) {
    fetch(block, step, steps);
    if (ahead.begin < ahead.end) fetch(ahead, step, steps);
    // Consecutive products share an operand, so each costs one load. The largest product comes
    // last: the rounding errors of the others are small beside its own.
    MEGASCALE_LEFT(2);
    MEGASCALE_RIGHT(0);
    MEGASCALE_MULTIPLY();
    MEGASCALE_LEFT(1);
    MEGASCALE_MULTIPLY();
    MEGASCALE_RIGHT(1);
    MEGASCALE_MULTIPLY();
    MEGASCALE_LEFT(0);
    MEGASCALE_MULTIPLY();
    MEGASCALE_RIGHT(2);
    MEGASCALE_MULTIPLY();
    MEGASCALE_RIGHT(0);
    MEGASCALE_MULTIPLY();
  }
  // Most blocks have full size and no bias. Writing them costs up to a tenth of a block with few
  // steps, so they have ways of their own.
  const bool full = block.rows == kPanel && block.columns == kPanel && block.bias == nullptr;
  if (full && !block.accumulate) {
    store_sums(block.result, block.stride);
    return;
  }
  alignas(64) float sums[kPanel][kPanel];
  store_sums(sums[0], kPanel);
  if (full) {
    add_full(sums, block);
  } else {
    add_to_result(sums, block);
  }
}

MEGASCALE_MATRIX_UNIT double multiply_tiles(std::size_t rounds) noexcept {
  constexpr double kFlops = 2.0 * kTile * kTile * kStep;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (std::size_t round = 0; round < rounds; ++round) {
    MEGASCALE_MULTIPLY();
  }
  return 4 * kFlops * static_cast<double>(rounds);
}

#undef MEGASCALE_LEFT
#undef MEGASCALE_RIGHT
#undef MEGASCALE_MULTIPLY

}  // namespace megascale::kernels::cpu
