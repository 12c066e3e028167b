// Hyperbolic tangent for soft caps. This file is compiled once per vector target (included after
// hwy/foreach_target.h).
#if defined(MEGASCALE_KERNELS_CPU_TANH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_TANH_INL_H_
#undef MEGASCALE_KERNELS_CPU_TANH_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_TANH_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Returns tanh(x) with a relative error of at most 4 u. NaN stays NaN. `exponential` returns e^t for
// 0 <= t <= 24 with a relative error of at most 4 u.
// Method: up to 0.625 an odd polynomial of degree 11 (minimax; error 4e-8 of the term x^3), above it
// 1 - 2 / (e^2|x| + 1), which does not cancel there. From 12 on the result is 1 in float.
template <class D, class V, class Exponential>
HWY_INLINE V tanh_of(D d, V x, Exponential exponential) {
  namespace hn = hwy::HWY_NAMESPACE;
  const auto constant = [&](float value) HWY_ATTR { return hn::Set(d, value); };
  const V size = hn::Abs(x), square = hn::Mul(x, x);
  V p = constant(-6.1131927914e-3F);
  p = hn::MulAdd(p, square, constant(2.1010082456e-2F));
  p = hn::MulAdd(p, square, constant(-5.3854070036e-2F));
  p = hn::MulAdd(p, square, constant(1.3332794550e-1F));
  p = hn::MulAdd(p, square, constant(-3.3333329250e-1F));
  const V small = hn::MulAdd(hn::Mul(p, square), x, x);
  const V bounded = hn::IfThenElse(hn::Gt(size, constant(12.0F)), constant(12.0F), size);
  const V e = exponential(hn::Add(bounded, bounded));
  const V large = hn::Sub(constant(1.0F), hn::Div(constant(2.0F), hn::Add(e, constant(1.0F))));
  return hn::IfThenElse(hn::Lt(size, constant(0.625F)), small, hn::CopySign(large, x));
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
