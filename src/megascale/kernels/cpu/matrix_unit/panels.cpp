// Packs float32 operands for the matrix unit: blocks of 16 x 16 values are loaded, transposed if
// the memory layout requires it, and split into three bfloat16 parts.
#include "megascale/kernels/cpu/matrix_unit/panels.h"

#include <immintrin.h>

#include <algorithm>

#include "megascale/kernels/cpu/matrix_unit/target.h"

namespace megascale::kernels::cpu {
namespace {

// How far ahead, in k, values are prefetched: with contiguous k, and with contiguous lines. In the
// second case each value of k is another row of memory, and rows whose distance is a large power of
// two share few sets of the caches: if they were fetched earlier, they would be evicted before use.
constexpr std::size_t kAhead = 4 * kStep, kRowsAhead = kStep;

// Two blocks of 16 x 16 values: the first and the second half of a step.
struct alignas(64) Halves {
  float rows[2][kTile][kTile];
};

// A mask of the first `count` lanes, at most 16.
[[gnu::always_inline]] inline __mmask16 first(std::size_t count) noexcept {
  return static_cast<__mmask16>((1U << std::min(count, kTile)) - 1);
}

// Returns how many of `count` items remain from `begin` on.
std::size_t behind(std::size_t count, std::size_t begin) noexcept {
  return count > begin ? count - begin : 0;
}

// Transposes a block in place, in four rounds that exchange halves of 1, 2, 4 and 8 values.
MEGASCALE_MATRIX_UNIT void transpose(float (*block)[kTile]) noexcept {
  __m512 a[kTile], b[kTile];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kTile; ++i) a[i] = _mm512_load_ps(block[i]);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kTile; i += 2) {
    b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < kTile; i += 4) {
    for (std::size_t h = 0; h < 2; ++h) {
      const __m512d low = _mm512_castps_pd(b[i + h]), high = _mm512_castps_pd(b[i + h + 2]);
      a[i + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
      a[i + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
    }
  }
  // Now a[4 q + r] has, in each quarter c, column 4 c + r of rows 4 q to 4 q + 3.
#pragma GCC unroll 4
  for (std::size_t r = 0; r < 4; ++r) {
    const __m512 even01 = _mm512_shuffle_f32x4(a[r], a[4 + r], 0x88),
                 odd01 = _mm512_shuffle_f32x4(a[r], a[4 + r], 0xDD),
                 even23 = _mm512_shuffle_f32x4(a[8 + r], a[12 + r], 0x88),
                 odd23 = _mm512_shuffle_f32x4(a[8 + r], a[12 + r], 0xDD);
    _mm512_store_ps(block[r], _mm512_shuffle_f32x4(even01, even23, 0x88));
    _mm512_store_ps(block[4 + r], _mm512_shuffle_f32x4(odd01, odd23, 0x88));
    _mm512_store_ps(block[8 + r], _mm512_shuffle_f32x4(even01, even23, 0xDD));
    _mm512_store_ps(block[12 + r], _mm512_shuffle_f32x4(odd01, odd23, 0xDD));
  }
}

// Loads the values k ... k + 31 of the lines `line` ... `line` + 15; values outside the operand are
// 0. A row of `to` is contiguous in memory: it is a line if `k_stride` is 1, else the values of 16
// lines at one k.
MEGASCALE_MATRIX_UNIT void load(const Lines& from, std::size_t line, std::size_t k,
                                Halves& to) noexcept {
  const std::size_t lines = behind(from.lines, line);
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t begin = k + half * kTile, ks = behind(from.k, begin);
    const bool k_inner = from.k_stride == 1;
    const std::size_t rows = k_inner ? lines : ks;
    const __mmask16 columns = first(k_inner ? ks : lines);
    const std::size_t stride = k_inner ? from.line_stride : from.k_stride;
    const float* data = from.data + line * from.line_stride + begin * from.k_stride;
    const std::size_t ahead = k_inner ? kAhead : kRowsAhead * from.k_stride;
    for (std::size_t r = 0; r < kTile; ++r) {
      _mm_prefetch(data + r * stride + ahead, _MM_HINT_T0);
      const __m512 values =
          r < rows ? _mm512_maskz_loadu_ps(columns, data + r * stride) : _mm512_setzero_ps();
      _mm512_store_ps(to.rows[half][r], values);
    }
  }
}

// Splits both halves of each row into three parts and writes them to the tiles of part p at to + p
// * 2 * kTileBytes.
MEGASCALE_MATRIX_UNIT void split(const Halves& from, std::byte* to) noexcept {
  // The conversion gives 16 values of one half, then 16 of the other. Interleaved, each dword holds
  // one value of each half.
  const __m512i in_turns =
      _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                       21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i second_half = _mm512_set1_epi32(static_cast<int>(0xFFFF0000U));
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kTile; ++r) {
    __m512 first = _mm512_load_ps(from.rows[0][r]), second = _mm512_load_ps(from.rows[1][r]);
#pragma GCC unroll 3
    for (std::size_t part = 0; part < kParts; ++part) {
      const __m512i rounded = _mm512_permutexvar_epi16(
          in_turns, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second, first)));
      _mm512_store_si512(to + part * 2 * kTileBytes + r * 64, rounded);
      first = _mm512_sub_ps(first, _mm512_castsi512_ps(_mm512_slli_epi32(rounded, 16)));
      second = _mm512_sub_ps(second, _mm512_castsi512_ps(_mm512_and_si512(rounded, second_half)));
    }
  }
}

}  // namespace

MEGASCALE_MATRIX_UNIT void pack_panel(Side side, const Lines& from, std::byte* panel) noexcept {
  // A row of a tile is a line for the left operand, and a pair of k for the right operand.
  const bool transposed = (from.k_stride == 1) != (side == Side::left);
  Halves halves;  // NOLINT(cppcoreguidelines-pro-type-member-init): load() fills it
  for (std::size_t k = 0; k < from.k; k += kStep, panel += kStepBytes) {
    for (std::size_t tile = 0; tile < 2; ++tile) {
      load(from, tile * kTile, k, halves);
      if (transposed) {
        transpose(halves.rows[0]);
        transpose(halves.rows[1]);
      }
      split(halves, panel + tile * kTileBytes);
    }
  }
}

}  // namespace megascale::kernels::cpu
