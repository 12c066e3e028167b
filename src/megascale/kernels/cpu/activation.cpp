// GELU, SwiGLU, GeGLU and gates of rows, vectorized with Highway. SwiGLU and the tanh form of GELU are t
// times a sigmoid, so one exponential and one
// division per element are enough; so they are for the exact GELU, by a polynomial. The arguments of
// exponentials are clamped, which keeps every intermediate value finite or gives the exact limit.
#include "megascale/kernels/cpu/activation.h"

#include <cmath>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/activation.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// kTwice is 2 sqrt(2/pi); kCubic is the coefficient of t^3 (Hendrycks and Gimpel 2016).
inline constexpr float kTwice = 1.5957691216057308F;
inline constexpr float kCubic = 0.044715F;

// Returns t / (1 + e^z). e^z may reach infinity, which gives the exact result 0.
HWY_INLINE Vec divide_by_one_plus_exp(Vec t, Vec z) {
  const Vec e = exp_in_range(at_most(at_least(z, kExpZero), kExpInfinity));
  return hn::Div(t, hn::Add(set(1.0F), e));
}

HWY_INLINE Vec gelu(Vec t) {
  const Vec factor = hn::MulAdd(set(-kTwice * kCubic), hn::Mul(t, t), set(-kTwice));
  return divide_by_one_plus_exp(t, hn::Mul(t, factor));
}
HWY_INLINE Vec silu(Vec t) { return divide_by_one_plus_exp(t, hn::Neg(t)); }

// value s = 1 / (1 + e^z), slope s (1 - s); e^z must be finite.
struct Sigmoid {
  Vec value, slope;
};
HWY_INLINE Sigmoid sigmoid_of_negated(Vec z) {
  const Vec e = exp_in_range(z);
  const Vec value = hn::Div(set(1.0F), hn::Add(set(1.0F), e));
  return {value, hn::Mul(hn::Mul(e, value), value)};
}

// Returns gelu'(t) = s + t s (1 - s) d(2w)/dt with s = 1 / (1 + e^-2w). Beyond |t| = 9.5 (|2w| =
// 76) only the term s is left, which is 0 or 1 to within 10^-30.
HWY_INLINE Vec gelu_slope(Vec t) {
  t = at_most(at_least(t, -9.5F), 9.5F);
  const Vec square = hn::Mul(t, t);
  const Vec factor = hn::MulAdd(set(-kTwice * kCubic), square, set(-kTwice));
  const Sigmoid s = sigmoid_of_negated(hn::Mul(t, factor));
  const Vec inner_slope = hn::MulAdd(set(3 * kTwice * kCubic), square, set(kTwice));
  return hn::MulAdd(hn::Mul(t, s.slope), inner_slope, s.value);
}

// The distribution function of the standard normal distribution at t, and e^(-t^2 / 2). Beyond
// |t| = 13.3 the exponential is 0 in float.
struct Normal {
  Vec distribution, exponential;
};
HWY_INLINE Normal normal(Vec t) {
  const Vec bounded = at_most(at_least(t, -13.5F), 13.5F);
  const Vec exponential = exp_nonpositive(hn::Mul(hn::Mul(bounded, bounded), set(-0.5F)));
  // erfc(z) = e^(-z^2) s q(s) with s = 1 / (1 + z / 2) and a polynomial q for 0 <= z <= 9.5 (minimax;
  // relative error 4.3e-8). The coefficients are those of q / 2.
  const Vec z = hn::Mul(hn::Abs(bounded), set(0.70710678118654752F));
  const Vec s = hn::Div(set(1.0F), hn::MulAdd(z, set(0.5F), set(1.0F)));
  Vec q = set(0.5F * -5.889063244e-2F);
  q = hn::MulAdd(q, s, set(0.5F * 2.837012583e-1F));
  q = hn::MulAdd(q, s, set(0.5F * -4.853822174e-1F));
  q = hn::MulAdd(q, s, set(0.5F * 2.759764230e-1F));
  q = hn::MulAdd(q, s, set(0.5F * -2.517647102e-2F));
  q = hn::MulAdd(q, s, set(0.5F * 2.020693141e-1F));
  q = hn::MulAdd(q, s, set(0.5F * 2.432611399e-1F));
  q = hn::MulAdd(q, s, set(0.5F * 2.823534659e-1F));
  q = hn::MulAdd(q, s, set(0.5F * 2.820876774e-1F));
  const Vec tail = hn::Mul(hn::Mul(q, s), exponential);
  return {hn::IfThenElse(hn::Lt(bounded, zero()), tail, hn::Sub(set(1.0F), tail)), exponential};
}
HWY_INLINE Vec exact_gelu(Vec t) { return hn::Mul(t, normal(t).distribution); }
// The derivative is the distribution function plus t times the density.
HWY_INLINE Vec exact_gelu_slope(Vec t) {
  const Normal n = normal(t);
  const Vec bounded = at_most(at_least(t, -13.5F), 13.5F);
  return hn::MulAdd(hn::Mul(bounded, set(0.39894228040143268F)), n.exponential, n.distribution);
}

void gelu_flat(const float* x, float* y, std::size_t first, std::size_t last) {
  for_each_vector(first, last, [=](auto at) HWY_ATTR { at.store(gelu(at.load(x)), y); });
}
void exact_gelu_flat(const float* x, float* y, std::size_t first, std::size_t last) {
  for_each_vector(first, last, [=](auto at) HWY_ATTR { at.store(exact_gelu(at.load(x)), y); });
}

void gelu_slope_flat(const GeluBackward& a, std::size_t first, std::size_t last) {
  const float *x = a.x, *dy = a.dy;
  float* dx = a.dx;
  for_each_vector(first, last, [=](auto at) HWY_ATTR {
    at.store(hn::Mul(at.load(dy), gelu_slope(at.load(x))), dx);
  });
}

void exact_gelu_slope_flat(const GeluBackward& a, std::size_t first, std::size_t last) {
  const float *x = a.x, *dy = a.dy;
  float* dx = a.dx;
  for_each_vector(first, last, [=](auto at) HWY_ATTR {
    at.store(hn::Mul(at.load(dy), exact_gelu_slope(at.load(x))), dx);
  });
}

void geglu_rows(const GegluForward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* gate = a.x + n * 2 * a.width;
    const float* up = gate + a.width;
    float* y = a.y + n * a.width;
    for_each_vector(0, a.width, [=](auto at) HWY_ATTR {
      at.store(hn::Mul(gelu(at.load(gate)), at.load(up)), y);
    });
  }
}

void geglu_slope_rows(const GegluBackward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* gate = a.x + n * 2 * a.width;
    const float* up = gate + a.width;
    const float* dy = a.dy + n * a.width;
    float* dgate = a.dx + n * 2 * a.width;
    float* dup = dgate + a.width;
    for_each_vector(0, a.width, [=](auto at) HWY_ATTR {
      const Vec g = at.load(gate), u = at.load(up), d = at.load(dy);
      at.store(hn::Mul(hn::Mul(d, u), gelu_slope(g)), dgate);
      at.store(hn::Mul(d, gelu(g)), dup);
    });
  }
}

// kWeighted: the rows have weights. The function without them is compiled by itself, since it runs
// in dense models.
template <bool kWeighted>
void swiglu_rows(const SwigluForward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* gate = a.x + n * 2 * a.width;
    const float* up = gate + a.width;
    float* y = a.y + n * a.width;
    const Vec weight = set(kWeighted ? a.weight[n] : 1.0F);
    for_each_vector(0, a.width, [=](auto at) HWY_ATTR {
      const Vec value = hn::Mul(silu(at.load(gate)), at.load(up));
      at.store(kWeighted ? hn::Mul(value, weight) : value, y);
    });
  }
}
void plain_swiglu_rows(const SwigluForward& a, std::size_t first, std::size_t last) {
  swiglu_rows<false>(a, first, last);
}
void weighted_swiglu_rows(const SwigluForward& a, std::size_t first, std::size_t last) {
  swiglu_rows<true>(a, first, last);
}

// The gradients of one vector of a row. `dweight` is a term of the gradient of the row's weight.
struct SwigluSlopes {
  Vec gate, up, dweight;
};
template <bool kWeighted>
HWY_INLINE SwigluSlopes swiglu_slopes(Vec gate, Vec up, Vec dy, Vec weight) {
  // e^80 is finite. Beyond |gate| = 80 only the term s is left, which is 0 or 1 to within 10^-34.
  const Vec bounded_below = at_least(gate, -80.0F), g = at_most(bounded_below, 80.0F);
  const Sigmoid s = sigmoid_of_negated(hn::Neg(g));
  const Vec d = kWeighted ? hn::Mul(dy, weight) : dy;
  const Vec value = hn::Mul(bounded_below, s.value);
  return {hn::Mul(hn::Mul(d, up), hn::MulAdd(g, s.slope, s.value)), hn::Mul(d, value),
          hn::Mul(hn::Mul(dy, up), value)};
}

void plain_swiglu_slope_rows(const SwigluBackward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* gate = a.x + n * 2 * a.width;
    const float* up = gate + a.width;
    const float* dy = a.dy + n * a.width;
    float* dgate = a.dx + n * 2 * a.width;
    float* dup = dgate + a.width;
    for_each_vector(0, a.width, [=](auto at) HWY_ATTR {
      const SwigluSlopes slopes =
          swiglu_slopes<false>(at.load(gate), at.load(up), at.load(dy), zero());
      at.store(slopes.gate, dgate);
      at.store(slopes.up, dup);
    });
  }
}

void weighted_swiglu_slope_rows(const SwigluBackward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* gate = a.x + n * 2 * a.width;
    const float* up = gate + a.width;
    const float* dy = a.dy + n * a.width;
    float* dgate = a.dx + n * 2 * a.width;
    float* dup = dgate + a.width;
    const Vec weight = set(a.weight[n]);
    row_sums<1>(a.width, a.dweight + n, [=](auto at, Vec* lanes) HWY_ATTR {
      const SwigluSlopes slopes =
          swiglu_slopes<true>(at.load(gate), at.load(up), at.load(dy), weight);
      at.store(slopes.gate, dgate);
      at.store(slopes.up, dup);
      lanes[0] = hn::Add(lanes[0], at.keep(slopes.dweight));
    });
  }
}

void scale_row(const float* x, float factor, float* y, std::size_t channels) {
  const Vec s = set(factor);
  for_each_vector(0, channels, [=](auto at) HWY_ATTR { at.store(hn::Mul(at.load(x), s), y); });
}

// Returns sum_c dy[c] x[c].
float gate_row_gradient(const float* dy, const float* x, float factor, float* dx,
                        std::size_t channels) {
  const Vec s = set(factor);
  float sum = 0;
  row_sums<1>(channels, &sum, [=](auto at, Vec* lanes) HWY_ATTR {
    const Vec d = at.load(dy), value = at.load(x);
    at.store(hn::Mul(d, s), dx);
    lanes[0] = hn::Add(lanes[0], at.keep(hn::Mul(d, value)));
  });
  return sum;
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(gelu_flat);
HWY_EXPORT(exact_gelu_flat);
HWY_EXPORT(gelu_slope_flat);
HWY_EXPORT(exact_gelu_slope_flat);
HWY_EXPORT(geglu_rows);
HWY_EXPORT(geglu_slope_rows);
HWY_EXPORT(plain_swiglu_rows);
HWY_EXPORT(weighted_swiglu_rows);
HWY_EXPORT(plain_swiglu_slope_rows);
HWY_EXPORT(weighted_swiglu_slope_rows);
HWY_EXPORT(scale_row);
HWY_EXPORT(gate_row_gradient);

namespace {
constexpr std::size_t kGrain = 64;  // elements: threads never share a cache line

// A sigmoid and its slope s (1 - s), which does not cancel for large logits.
struct Gate {
  float value, slope;
};
Gate gate_of(float logit) noexcept {
  const double e = std::exp(-std::abs(double{logit})), larger = 1 / (1 + e);
  return {static_cast<float>(logit < 0 ? e * larger : larger),
          static_cast<float>(e * larger * larger)};
}
}  // namespace

void gelu_forward(const GeluForward& args) noexcept {
  const auto run =
      args.exact ? HWY_DYNAMIC_DISPATCH(exact_gelu_flat) : HWY_DYNAMIC_DISPATCH(gelu_flat);
  parallel_ranges(args.tokens * args.channels, kGrain, 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args.x, args.y, first, last); });
}

void gelu_backward(const GeluBackward& args) noexcept {
  const auto run = args.exact ? HWY_DYNAMIC_DISPATCH(exact_gelu_slope_flat)
                              : HWY_DYNAMIC_DISPATCH(gelu_slope_flat);
  parallel_ranges(args.tokens * args.channels, kGrain, 3 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void swiglu_forward(const SwigluForward& args) noexcept {
  const auto run = args.weight == nullptr ? HWY_DYNAMIC_DISPATCH(plain_swiglu_rows)
                                          : HWY_DYNAMIC_DISPATCH(weighted_swiglu_rows);
  parallel_ranges(args.tokens, 1, args.width * 3 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void swiglu_backward(const SwigluBackward& args) noexcept {
  const auto run = args.weight == nullptr ? HWY_DYNAMIC_DISPATCH(plain_swiglu_slope_rows)
                                          : HWY_DYNAMIC_DISPATCH(weighted_swiglu_slope_rows);
  parallel_ranges(args.tokens, 1, args.width * 5 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void geglu_forward(const GegluForward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(geglu_rows);
  parallel_ranges(args.tokens, 1, args.width * 3 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void geglu_backward(const GegluBackward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(geglu_slope_rows);
  parallel_ranges(args.tokens, 1, args.width * 5 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void gate_forward(const GateForward& a) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(scale_row);
  parallel_ranges(
      a.tokens, 1, a.channels * 2 * sizeof(float), [&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n)
          run(a.x + n * a.channels, gate_of(a.logits[n]).value, a.y + n * a.channels, a.channels);
      });
}

void gate_backward(const GateBackward& a) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(gate_row_gradient);
  parallel_ranges(
      a.tokens, 1, a.channels * 3 * sizeof(float), [&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
          const std::size_t at = n * a.channels;
          const Gate gate = gate_of(a.logits[n]);
          a.dlogits[n] = gate.slope * run(a.dy + at, a.x + at, gate.value, a.dx + at, a.channels);
        }
      });
}

}  // namespace megascale::kernels::cpu
#endif
