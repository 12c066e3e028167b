// A tile of a product that is a sum of outer products and stays in registers: some rows, and two
// vectors of columns. A step of the sum reads one value of each row, and the two vectors. Both are
// packed for that: the values of a step lie one behind the other. This file is compiled once per
// vector target (included after hwy/foreach_target.h and simd-inl.h).
#if defined(MEGASCALE_KERNELS_CPU_OUTER_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_OUTER_PRODUCT_INL_H_
#undef MEGASCALE_KERNELS_CPU_OUTER_PRODUCT_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_OUTER_PRODUCT_INL_H_
#endif

#include <cstddef>

#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// The most rows of a tile, and its columns: its sums and the operands of a step fit the registers.
inline constexpr std::size_t kOuterRows = HWY_TARGET == HWY_AVX3 ? 12 : 6;
inline constexpr std::size_t kOuterWidth = 2 * kLanes;

// The sums of a tile.
template <std::size_t kRows>
using OuterSums = Vec[kRows][2];

// Calls body(number of the vector, position) for both vectors of a tile, as far as it has `width`
// columns (kWhole: all).
template <bool kWhole, class Body>
HWY_INLINE void each_vector(std::size_t width, const Body& body) {
#pragma GCC unroll 2
  for (std::size_t v = 0; v < 2; ++v) {
    const std::size_t begin = v * kLanes;
    if (kWhole || width >= begin + kLanes) {
      body(v, Whole{begin});
    } else if (width > begin) {
      body(v, Rest{begin, width - begin});
    }
  }
}

// Adds one outer product to the sums: `left` has a value for each row, `right` kOuterWidth values.
template <std::size_t kRows>
HWY_INLINE void add_outer_product(const float* HWY_RESTRICT left, const float* HWY_RESTRICT right,
                                  OuterSums<kRows>& sums) {
  const Vec first = hn::Load(Tag(), right), second = hn::Load(Tag(), right + kLanes);
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    const Vec value = set(left[r]);
    sums[r][0] = hn::MulAdd(value, first, sums[r][0]);
    sums[r][1] = hn::MulAdd(value, second, sums[r][1]);
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
