// The rotation of one head by the angles of one position (rope.h). This file is compiled once per vector
// target (included after hwy/foreach_target.h).
#if defined(MEGASCALE_KERNELS_CPU_ROTATE_HEAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_ROTATE_HEAD_INL_H_
#undef MEGASCALE_KERNELS_CPU_ROTATE_HEAD_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_ROTATE_HEAD_INL_H_
#endif

#include <cstddef>

#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// y = x rotated by the angles of one position, or by the negative angles. y may be x.
template <bool kForward>
HWY_INLINE void rotate_head(const float* x, const float* angles, std::size_t rotated, float* y) {
  const std::size_t half = rotated / 2;
  for_each_vector(0, half, [=](auto at) HWY_ATTR {
    const Vec low = at.load(x), high = at.load(x + half), cosine = at.load(angles),
              sine = at.load(angles + half);
    const Vec from_low = hn::Mul(low, cosine), from_high = hn::Mul(high, cosine);
    at.store(kForward ? hn::NegMulAdd(high, sine, from_low) : hn::MulAdd(high, sine, from_low), y);
    at.store(kForward ? hn::MulAdd(low, sine, from_high) : hn::NegMulAdd(low, sine, from_high),
             y + half);
  });
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
