// Products of one vector with rows that are read where they lie: of a cache, or of a weight. This file is
// compiled once per vector target (included after hwy/foreach_target.h).
#if defined(MEGASCALE_KERNELS_CPU_DECODE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_DECODE_ROWS_INL_H_
#undef MEGASCALE_KERNELS_CPU_DECODE_ROWS_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_DECODE_ROWS_INL_H_
#endif

#include <cstddef>
#include <type_traits>

#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

inline constexpr std::size_t kDecodeRows = 8;  // rows that are read side by side

// scores[j] = factor * q . keys[j] for `kRows` keys.
template <std::size_t kRows>
HWY_INLINE void row_scores(const float* q, const float* keys, std::size_t stride, std::size_t size,
                           float factor, float* scores) {
  Vec sums[kRows];
#pragma GCC unroll 8
  for (std::size_t j = 0; j < kRows; ++j) sums[j] = zero();
  for_each_vector(0, size, [&](auto at) HWY_ATTR {
    const Vec query = at.load(q);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kRows; ++j)
      sums[j] = hn::MulAdd(query, at.load(keys + j * stride), sums[j]);
  });
#pragma GCC unroll 8
  for (std::size_t j = 0; j < kRows; ++j)
    scores[j] = factor * hn::GetLane(hn::SumOfLanes(Tag(), sums[j]));
}

// out = change * out + the sum of weights[j] * values[j] for `kRows` values, in their order.
template <std::size_t kRows>
HWY_INLINE void add_rows(float change, const float* weights, const float* values,
                         std::size_t stride, std::size_t size, float* out) {
  for_each_vector(0, size, [&](auto at) HWY_ATTR {
    Vec sum = hn::Mul(at.load(out), set(change));
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kRows; ++j)
      sum = hn::MulAdd(set(weights[j]), at.load(values + j * stride), sum);
    at.store(sum, out);
  });
}

// Calls body(row, count) for the rows [0, count): kDecodeRows at once, the rest one by one. The count is
// a constant.
template <class Body>
HWY_INLINE void for_each_rows(std::size_t count, Body body) {
  std::size_t j = 0;
  for (; j + kDecodeRows <= count; j += kDecodeRows)
    body(j, std::integral_constant<std::size_t, kDecodeRows>());
  for (; j < count; ++j) body(j, std::integral_constant<std::size_t, 1>());
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
