// The sum of squares of a block of floats in float64, with the same bits on every vector target.
// This file is compiled once per vector target (included after hwy/foreach_target.h).
#if defined(MEGASCALE_KERNELS_CPU_SQUARE_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_SQUARE_SUM_INL_H_
#undef MEGASCALE_KERNELS_CPU_SQUARE_SUM_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_SQUARE_SUM_INL_H_
#endif

#include <cstddef>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Element i goes to virtual lane i mod 32; each lane adds in order of i, and the lanes are folded
// by halves. The square of a float is exact in double, so fusing multiplication and addition
// changes nothing. For the same reason the baseline target has the same bits.
HWY_INLINE double square_sum(const float* x, std::size_t count) {
  namespace hw = hwy::HWY_NAMESPACE;
  constexpr std::size_t kVirtual = 32;
  const hw::CappedTag<double, 8> wide;
  const hw::Rebind<float, decltype(wide)> narrow;
  constexpr std::size_t kWide = hw::MaxLanes(wide), kGroup = kVirtual / kWide;
  hw::Vec<decltype(wide)> lanes[kGroup];
  for (std::size_t j = 0; j < kGroup; ++j) lanes[j] = hw::Zero(wide);
  const auto add = [&](const float* p) HWY_ATTR {
#pragma GCC unroll 32
    for (std::size_t j = 0; j < kGroup; ++j) {
      const auto v = hw::PromoteTo(wide, hw::LoadU(narrow, p + j * kWide));
      lanes[j] = hw::MulAdd(v, v, lanes[j]);
    }
  };
  std::size_t i = 0;
  for (; i + kVirtual <= count; i += kVirtual) add(x + i);
  if (i < count) {
    float rest[kVirtual] = {};
    std::memcpy(rest, x + i, (count - i) * sizeof(float));
    add(rest);
  }
  HWY_ALIGN double sums[kVirtual];
  for (std::size_t j = 0; j < kGroup; ++j) hw::Store(lanes[j], wide, sums + j * kWide);
  for (std::size_t half = kVirtual / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
