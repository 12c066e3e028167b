// Soft caps, vectorized with Highway, over the elements of all rows at once.
#include "megascale/kernels/cpu/soft_cap.h"

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/soft_cap.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"
#include "megascale/kernels/cpu/tanh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

void soft_cap_flat(const SoftCapForward& a, std::size_t first, std::size_t last) {
  const float* x = a.x;
  float* y = a.y;
  const Vec cap = set(a.cap), inverse = set(1.0F / a.cap);
  for_each_vector(first, last, [=](auto at) HWY_ATTR {
    const Vec t = hn::Mul(at.load(x), inverse);
    at.store(hn::Mul(cap, tanh_of(Tag(), t, [](Vec e) HWY_ATTR { return exp_in_range(e); })), y);
  });
}

void soft_cap_slope_flat(const SoftCapBackward& a, std::size_t first, std::size_t last) {
  const float *dy = a.dy, *y = a.y;
  float* dx = a.dx;
  const Vec inverse = set(1.0F / a.cap);
  for_each_vector(first, last, [=](auto at) HWY_ATTR {
    const Vec t = hn::Mul(at.load(y), inverse);
    at.store(hn::Mul(at.load(dy), hn::NegMulAdd(t, t, set(1.0F))), dx);
  });
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(soft_cap_flat);
HWY_EXPORT(soft_cap_slope_flat);

namespace {
constexpr std::size_t kGrain = 64;  // elements: threads never share a cache line
}

void soft_cap_forward(const SoftCapForward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(soft_cap_flat);
  parallel_ranges(args.tokens * args.channels, kGrain, 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void soft_cap_backward(const SoftCapBackward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(soft_cap_slope_flat);
  parallel_ranges(args.tokens * args.channels, kGrain, 3 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
