// Columns of rows of memory as vectors, and back: four columns of kLanes rows at a time, by squares of four rows
// and four columns that are transposed in registers. This file is compiled once per vector target
// (included after hwy/foreach_target.h and simd-inl.h).
#if defined(MEGASCALE_KERNELS_CPU_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_COLUMNS_INL_H_
#undef MEGASCALE_KERNELS_CPU_COLUMNS_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_COLUMNS_INL_H_
#endif

#include <cstddef>

#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

inline constexpr std::size_t kColumns = 4;

// Four columns, one vector each. Lane r is of row r.
struct Columns {
  Vec v[kColumns];
};

#if HWY_TARGET != HWY_SCALAR
// A vector that holds a quarter of four elements of every fourth row, the first from `row` on. Rows are
// `stride` apart.
template <class D>
HWY_INLINE hn::Vec<D> load_quarters(D d, const float* row, std::size_t stride) {
  if constexpr (hn::MaxLanes(D()) <= kColumns) {
    return hn::LoadU(d, row);
  } else {
    const hn::Half<D> half;
    const float* const middle = row + hn::MaxLanes(half) * stride;
    return hn::Combine(d, load_quarters(half, middle, stride), load_quarters(half, row, stride));
  }
}
template <class D>
HWY_INLINE void store_quarters(D d, hn::Vec<D> v, float* row, std::size_t stride) {
  if constexpr (hn::MaxLanes(D()) <= kColumns) {
    hn::StoreU(v, d, row);
  } else {
    const hn::Half<D> half;
    store_quarters(half, hn::LowerHalf(half, v), row, stride);
    store_quarters(half, hn::UpperHalf(half, v), row + hn::MaxLanes(half) * stride, stride);
  }
}

// Transposes each square: quarter q of the four vectors.
HWY_INLINE Columns transpose(const Columns& from) {
  const Tag d;
  const hn::RepartitionToWide<Tag> wide;
  const auto pairs = [&](Vec v) HWY_ATTR { return hn::BitCast(wide, v); };
  const auto low = pairs(hn::InterleaveLower(d, from.v[0], from.v[1])),
             low_next = pairs(hn::InterleaveLower(d, from.v[2], from.v[3])),
             high = pairs(hn::InterleaveUpper(d, from.v[0], from.v[1])),
             high_next = pairs(hn::InterleaveUpper(d, from.v[2], from.v[3]));
  return {{hn::BitCast(d, hn::InterleaveLower(wide, low, low_next)),
           hn::BitCast(d, hn::InterleaveUpper(wide, low, low_next)),
           hn::BitCast(d, hn::InterleaveLower(wide, high, high_next)),
           hn::BitCast(d, hn::InterleaveUpper(wide, high, high_next))}};
}

// Loads and stores the columns of kLanes rows from `first` on.
HWY_INLINE Columns load_columns(const float* first, std::size_t stride) {
  Columns rows;
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kColumns; ++r)
    rows.v[r] = load_quarters(Tag(), first + r * stride, stride);
  return transpose(rows);
}
HWY_INLINE void store_columns(const Columns& columns, float* first, std::size_t stride) {
  const Columns rows = transpose(columns);
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kColumns; ++r)
    store_quarters(Tag(), rows.v[r], first + r * stride, stride);
}
#else
// A vector is one row.
HWY_INLINE Columns load_columns(const float* first, std::size_t) {
  return {{set(first[0]), set(first[1]), set(first[2]), set(first[3])}};
}
HWY_INLINE void store_columns(const Columns& columns, float* first, std::size_t) {
  for (std::size_t c = 0; c < kColumns; ++c) first[c] = hn::GetLane(columns.v[c]);
}
#endif

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
