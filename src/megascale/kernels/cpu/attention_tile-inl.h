// Register tiles, packing and masks that both directions of attention share. This file is compiled
// once per vector target (included after hwy/foreach_target.h).
#if defined(MEGASCALE_KERNELS_CPU_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_ATTENTION_TILE_INL_H_
#undef MEGASCALE_KERNELS_CPU_ATTENTION_TILE_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_ATTENTION_TILE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "hwy/highway.h"
#include "megascale/kernels/cpu/attention_work.h"
#include "megascale/kernels/cpu/philox-inl.h"
#include "megascale/kernels/cpu/tanh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using Vec = hn::Vec<Tag>;
using IntTag = hn::RebindToSigned<Tag>;
inline constexpr std::size_t kLanes = hn::MaxLanes(Tag());
inline constexpr std::size_t kKeyVectors = kKeyBlock / kLanes;
// Columns of a register tile, in vectors. kTileRows x kGroup accumulators, kGroup operands and one
// broadcast operand fit the 32 registers of AVX-512, or the 16 of AVX2.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kGroup = 4;
#else
inline constexpr int kGroup = 2;
#endif

template <int kRows, int kColumns>
using Tile = Vec[kRows][kColumns];

// tile[r][c] += sum_{t < steps} a[r * row_stride + t * step_stride] * (vector c at b + t *
// b_stride).
template <int kRows, int kColumns>
HWY_INLINE void multiply_add(Tile<kRows, kColumns>& tile, const float* HWY_RESTRICT a,
                             std::size_t row_stride, std::size_t step_stride,
                             const float* HWY_RESTRICT b, std::size_t b_stride, std::size_t steps) {
  const Tag d;
  for (std::size_t t = 0; t < steps; ++t, a += step_stride, b += b_stride) {
    Vec right[kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c)
      right[c] = hn::Load(d, b + static_cast<std::size_t>(c) * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vec left = hn::Set(d, a[static_cast<std::size_t>(r) * row_stride]);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) tile[r][c] = hn::MulAdd(left, right[c], tile[r][c]);
    }
  }
}

// Calls body(first_column_vector, width) for groups that cover [0, vectors). Each width is a
// compile-time constant of at most kGroup.
template <class Body>
HWY_INLINE void for_column_groups(std::size_t vectors, Body body) {
  std::size_t c = 0;
  for (; c + kGroup <= vectors; c += kGroup) body(c, std::integral_constant<int, kGroup>{});
  if constexpr (kGroup == 4) {
    if (vectors - c == 3) return body(c, std::integral_constant<int, 3>{});
    if (vectors - c == 2) return body(c, std::integral_constant<int, 2>{});
  }
  if (vectors - c == 1) body(c, std::integral_constant<int, 1>{});
}

// Sets the accumulators to 0.
template <int kRows, int kColumns>
HWY_INLINE void clear(Tile<kRows, kColumns>& tile) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) tile[r][c] = hn::Zero(Tag());
  }
}
// Loads or stores a tile; its rows are `stride` floats apart and aligned to vectors.
template <int kRows, int kColumns>
HWY_INLINE void load(Tile<kRows, kColumns>& tile, const float* from, std::size_t stride) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      tile[r][c] = hn::Load(Tag(), from + static_cast<std::size_t>(r) * stride +
                                       static_cast<std::size_t>(c) * kLanes);
    }
  }
}
template <int kRows, int kColumns>
HWY_INLINE void store(const Tile<kRows, kColumns>& tile, float* to, std::size_t stride) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      hn::Store(tile[r][c], Tag(),
                to + static_cast<std::size_t>(r) * stride + static_cast<std::size_t>(c) * kLanes);
    }
  }
}

// products[r][j] = sum_d rows[r][d] * keys_transposed[d][j] for kRows rows and `vectors` vectors of
// keys.
template <int kRows>
HWY_INLINE void row_products(float* products, const float* rows, std::size_t row_stride,
                             const float* keys_transposed, std::size_t head_size,
                             std::size_t vectors) {
  for_column_groups(vectors, [&](std::size_t c, auto width) HWY_ATTR {
    Tile<kRows, width> tile;
    clear<kRows, width>(tile);
    multiply_add<kRows, width>(tile, rows, row_stride, 1, keys_transposed + c * kLanes, kKeyBlock,
                               head_size);
    store<kRows, width>(tile, products + c * kLanes, kKeyBlock);
  });
}

// Returns 2^x: relative error below 2 u over [-126, 126]; 0 below -126 and for minus infinity; NaN
// stays NaN. Method: 2^x = 2^k 2^r with k = round(x) and |r| <= 1/2. 2^r is a polynomial of degree
// 6 with constant term 1 (Remez; relative error 2.6e-9 before rounding). Adding 1.5 * 2^23 + 127
// rounds x and leaves k + 127, the exponent field of 2^k, in the low bits.
HWY_INLINE Vec exp2_of(Vec x) {
  const Tag d;
  const IntTag di;
  const Vec magic = hn::Set(d, 12582912.0F + 127.0F);
  const Vec shifted = hn::Add(x, magic);
  const Vec r = hn::Sub(x, hn::Sub(shifted, magic));
  Vec p = hn::Set(d, 1.5594677825e-04F);
  p = hn::MulAdd(p, r, hn::Set(d, 1.3406643411e-03F));
  p = hn::MulAdd(p, r, hn::Set(d, 9.6176927909e-03F));
  p = hn::MulAdd(p, r, hn::Set(d, 5.5503103882e-02F));
  p = hn::MulAdd(p, r, hn::Set(d, 2.4022652209e-01F));
  p = hn::MulAdd(p, r, hn::Set(d, 6.9314724207e-01F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  const Vec power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted)));
  const Vec underflow = hn::Set(d, -126.0F);
  return hn::IfThenZeroElse(hn::Lt(x, underflow), hn::Mul(p, power));
}

// Replaces arguments of tanh by scores: factor tanh(x). If `slopes` is not null, it receives the
// derivatives of tanh, 1 - tanh(x)^2.
HWY_INLINE void cap_row(float* scores, float* slopes, std::size_t vectors, float factor) {
  const Tag d;
  const Vec one = hn::Set(d, 1.0F);
  for (std::size_t v = 0; v < vectors; ++v) {
    float* at = scores + v * kLanes;
    const Vec capped = tanh_of(d, hn::Load(d, at), [=](Vec t) HWY_ATTR {
      return exp2_of(hn::Mul(t, hn::Set(Tag(), kLog2E)));
    });
    hn::Store(hn::Mul(capped, hn::Set(d, factor)), d, at);
    if (slopes != nullptr) hn::Store(hn::NegMulAdd(capped, capped, one), d, slopes + v * kLanes);
  }
}

// to[d][j] = factor * from[j][d] for j < keys; the rest of the kKeyBlock columns becomes 0.
HWY_INLINE void pack_transposed(float* to, const float* from, std::size_t stride, std::size_t keys,
                                std::size_t head_size, float factor) {
  std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d4;
  const auto scale = hn::Set(d4, factor);
  const std::size_t whole = head_size / 4 * 4;
  for (; j + 4 <= keys; j += 4) {
    const float* row = from + j * stride;
    if (j + 4 + kRowsAhead <= keys) {
      for (std::size_t k = 0; k < 4; ++k) prefetch_row(row + (kRowsAhead + k) * stride, head_size);
    }
    for (std::size_t c = 0; c < whole; c += 4) {
      const auto r0 = hn::LoadU(d4, row + c), r1 = hn::LoadU(d4, row + stride + c);
      const auto r2 = hn::LoadU(d4, row + 2 * stride + c), r3 = hn::LoadU(d4, row + 3 * stride + c);
      const auto a = hn::InterleaveLower(d4, r0, r2), b = hn::InterleaveLower(d4, r1, r3);
      const auto e = hn::InterleaveUpper(d4, r0, r2), f = hn::InterleaveUpper(d4, r1, r3);
      float* column = to + c * kKeyBlock + j;
      hn::Store(hn::Mul(scale, hn::InterleaveLower(d4, a, b)), d4, column);
      hn::Store(hn::Mul(scale, hn::InterleaveUpper(d4, a, b)), d4, column + kKeyBlock);
      hn::Store(hn::Mul(scale, hn::InterleaveLower(d4, e, f)), d4, column + 2 * kKeyBlock);
      hn::Store(hn::Mul(scale, hn::InterleaveUpper(d4, e, f)), d4, column + 3 * kKeyBlock);
    }
    for (std::size_t c = whole; c < head_size; ++c) {
      for (std::size_t k = 0; k < 4; ++k) to[c * kKeyBlock + j + k] = factor * row[k * stride + c];
    }
  }
#endif
  for (; j < keys; ++j) {
    for (std::size_t c = 0; c < head_size; ++c)
      to[c * kKeyBlock + j] = factor * from[j * stride + c];
  }
  if (keys == kKeyBlock) return;
  for (std::size_t c = 0; c < head_size; ++c) {
    std::memset(to + c * kKeyBlock + keys, 0, (kKeyBlock - keys) * sizeof(float));
  }
}

// to[r][0 .. head_size) = factor * from[r][0 .. head_size), then zeros up to `padded`. Rows [rows,
// padded_rows) become 0.
HWY_INLINE void pack_rows(float* to, std::size_t padded, const float* from, std::size_t stride,
                          std::size_t rows, std::size_t padded_rows, std::size_t head_size,
                          float factor) {
  const Tag d;
  const Vec scale = hn::Set(d, factor);
  for (std::size_t r = 0; r < rows; ++r, to += padded, from += stride) {
    if (r + kRowsAhead < rows) prefetch_row(from + kRowsAhead * stride, head_size);
    std::size_t c = 0;
    for (; c + kLanes <= head_size; c += kLanes)
      hn::Store(hn::Mul(scale, hn::LoadU(d, from + c)), d, to + c);
    for (; c < head_size; ++c) to[c] = factor * from[c];
    for (; c < padded; ++c) to[c] = 0.0F;
  }
  std::memset(to, 0, (padded_rows - rows) * padded * sizeof(float));
}

// Sets the scores of keys that the query at `position` does not see to minus infinity. scores[0]
// belongs to the block's first key.
HWY_INLINE void mask_row(float* scores, std::size_t vectors, const AttentionBlock& b,
                         std::size_t position) {
  const Tag d;
  const IntTag di;
  const Vec hidden = hn::Set(d, -std::numeric_limits<float>::infinity());
  const auto last = hn::Set(di, static_cast<std::int32_t>(position));
  const auto first = graph::first_visible_key(position, b.window);
  const auto before = hn::Set(di, static_cast<std::int32_t>(first) - 1);
  for (std::size_t v = 0; v < vectors; ++v) {
    const auto key = hn::Iota(di, static_cast<std::int32_t>(b.key + v * kLanes));
    auto blind = hn::Or(hn::Gt(key, last), hn::Not(hn::Gt(key, before)));
    if (b.segments != nullptr) {
      blind = hn::Or(blind, hn::Ne(hn::Load(di, b.key_segments + v * kLanes),
                                   hn::Set(di, b.segments[position])));
    }
    float* at = scores + v * kLanes;
    hn::Store(hn::IfThenElse(hn::RebindMask(d, blind), hidden, hn::Load(d, at)), d, at);
  }
}

// The factors m of dropout for one query and the keys of a block: 0 or 1 / (1 - rate).
class RowFactors {
 public:
  HWY_INLINE RowFactors(const BlockDraws& b, std::size_t row)
      : threshold_(b.draws->threshold()), scale_(b.draws->scale()) {
    static_assert(kKeyBlock == kWordsOfGroup);
    philox_group(b.draws->seed, b.draws->stream, (b.row + row) * b.groups + b.group, words_);
  }
  // Returns those of vector number v of the keys.
  HWY_INLINE Vec operator[](std::size_t v) const {
    const Tag d;
    const hn::RebindToUnsigned<Tag> du;
    const auto dropped = hn::Lt(hn::Load(du, words_ + v * kLanes), hn::Set(du, threshold_));
    return hn::IfThenZeroElse(hn::RebindMask(d, dropped), hn::Set(d, scale_));
  }

 private:
  HWY_ALIGN std::uint32_t words_[kWordsOfGroup];
  std::uint32_t threshold_;
  float scale_;
};

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
