// Scores of one token, for router.cpp and router_losses.cpp. This file is compiled once per vector
// target (included after hwy/foreach_target.h).
#if defined(MEGASCALE_KERNELS_CPU_ROUTER_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEGASCALE_KERNELS_CPU_ROUTER_SCORES_INL_H_
#undef MEGASCALE_KERNELS_CPU_ROUTER_SCORES_INL_H_
#else
#define MEGASCALE_KERNELS_CPU_ROUTER_SCORES_INL_H_
#endif

#include <cstddef>
#include <limits>

#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// The maximum of a row and the sum of exp(x - max).
struct RowExponentials {
  float max, sum;
};

// Writes exp(x - max) to `scores`. A NaN or an infinity among the logits makes the sum NaN.
HWY_INLINE RowExponentials row_exponentials(const float* x, std::size_t experts, float* scores) {
  float max = -std::numeric_limits<float>::infinity();
  for (std::size_t e = 0; e < experts; ++e) max = x[e] > max ? x[e] : max;
  const Vec center = set(max);
  float sum = 0;
  row_sums<1>(experts, &sum, [=](auto at, Vec* lanes) HWY_ATTR {
    const Vec value = exp_nonpositive(hn::Sub(at.load(x), center));
    at.store(value, scores);
    lanes[0] = hn::Add(lanes[0], at.keep(value));
  });
  return {max, sum};
}

HWY_INLINE RowExponentials row_softmax(const float* x, std::size_t experts, float* scores) {
  const RowExponentials row = row_exponentials(x, experts, scores);
  const Vec scale = set(1.0F / row.sum);
  for_each_vector(0, experts,
                  [=](auto at) HWY_ATTR { at.store(hn::Mul(at.load(scores), scale), scores); });
  return row;
}

HWY_INLINE void row_sigmoid(const float* x, std::size_t experts, float* scores) {
  for_each_vector(0, experts, [=](auto at) HWY_ATTR {
    const Vec e = exp_in_range(at_most(at_least(hn::Neg(at.load(x)), kExpZero), kExpInfinity));
    at.store(hn::Div(set(1.0F), hn::Add(set(1.0F), e)), scores);
  });
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
