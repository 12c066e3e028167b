#include "megascale/kernels/cpu/activation.h"

#include <cstring>

#include "megascale/kernels/cpu/row_blocks.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/activation.cpp"
#include "hwy/foreach_target.h"

#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// 2 sqrt(2/pi), and the cubic's coefficient from the paper.
inline constexpr float kTwice = 1.5957691216057308F;
inline constexpr float kCubic = 0.044715F;
// gelu is t or 0 long before |t| = 20 (2 w = 602); the clamp keeps 0 * inf out of the derivative.
inline constexpr float kSaturated = 20.0F;

struct GeluParts {
  Vec clamped, square;
  Sigmoid sigmoid;
};
HWY_INLINE GeluParts gelu_parts(Vec t) {
  const Vec limit = hn::CopySign(set(kSaturated), t);
  const Vec clamped = hn::IfThenElse(hn::Gt(hn::Abs(t), set(kSaturated)), limit, t);
  const Vec square = hn::Mul(clamped, clamped);
  const Vec inner = hn::MulAdd(hn::Mul(set(kTwice * kCubic), square), clamped, hn::Mul(set(kTwice), clamped));
  return {clamped, square, sigmoid(inner)};
}

HWY_INLINE Vec gelu(Vec t) { return hn::Mul(t, gelu_parts(t).sigmoid.value); }

// s + t s (1 - s) d(2w)/dt
HWY_INLINE Vec gelu_slope(Vec t) {
  const GeluParts parts = gelu_parts(t);
  const Vec inner_slope = hn::MulAdd(set(3 * kTwice * kCubic), parts.square, set(kTwice));
  return hn::MulAdd(hn::Mul(parts.clamped, parts.sigmoid.slope), inner_slope, parts.sigmoid.value);
}

void gelu_flat(const float* x, float* y, std::size_t first, std::size_t last) {
  for_each_vector(first, last, [=](auto at) HWY_ATTR { at.store(gelu(at.load(x)), y); });
}

void gelu_rows(const GeluForward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* x = a.x + n * a.channels;
    const float* bias = a.bias;
    float* y = a.y + n * a.channels;
    for_each_vector(0, a.channels, [=](auto at) HWY_ATTR { at.store(gelu(hn::Add(at.load(x), at.load(bias))), y); });
  }
}

void gelu_slope_flat(const GeluBackward& a, std::size_t first, std::size_t last) {
  const float *x = a.x, *dy = a.dy;
  float* dx = a.dx;
  for_each_vector(first, last, [=](auto at) HWY_ATTR {
    at.store(hn::Mul(at.load(dy), gelu_slope(at.load(x))), dx);
  });
}

// Rows of one block; `sum` (or null) receives the block's part of dbias.
void gelu_slope_rows(const GeluBackward& a, std::size_t first, std::size_t last, float* sum) {
  if (sum) std::memset(sum, 0, a.channels * sizeof(float));
  for (std::size_t n = first; n < last; ++n) {
    const std::size_t row = n * a.channels;
    const float *x = a.x + row, *dy = a.dy + row, *bias = a.bias;
    float* dx = a.dx + row;
    for_each_vector(0, a.channels, [=](auto at) HWY_ATTR {
      Vec t = at.load(x);
      if (bias) t = hn::Add(t, at.load(bias));
      const Vec gradient = hn::Mul(at.load(dy), gelu_slope(t));
      at.store(gradient, dx);
      if (sum) at.store(hn::Add(at.load(sum), gradient), sum);
    });
  }
}

void swiglu_rows(const SwigluForward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* gate = a.x + n * 2 * a.width;
    const float* up = gate + a.width;
    float* y = a.y + n * a.width;
    for_each_vector(0, a.width, [=](auto at) HWY_ATTR {
      const Vec g = at.load(gate);
      at.store(hn::Mul(hn::Mul(g, sigmoid(g).value), at.load(up)), y);
    });
  }
}

void swiglu_slope_rows(const SwigluBackward& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* gate = a.x + n * 2 * a.width;
    const float* up = gate + a.width;
    const float* dy = a.dy + n * a.width;
    float* dgate = a.dx + n * 2 * a.width;
    float* dup = dgate + a.width;
    for_each_vector(0, a.width, [=](auto at) HWY_ATTR {
      const Vec g = at.load(gate), d = at.load(dy), factor = at.load(up);
      const Sigmoid s = sigmoid(g);
      // s (1 - s) is below 2^-126, so 0, where g could be infinite: keep 0 * inf out.
      const Vec bounded = hn::IfThenElse(hn::Gt(hn::Abs(g), set(1e3F)), zero(), g);
      at.store(hn::Mul(hn::Mul(d, factor), hn::MulAdd(bounded, s.slope, s.value)), dgate);
      at.store(hn::Mul(d, hn::Mul(g, s.value)), dup);
    });
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(gelu_flat);
HWY_EXPORT(gelu_rows);
HWY_EXPORT(gelu_slope_flat);
HWY_EXPORT(gelu_slope_rows);
HWY_EXPORT(swiglu_rows);
HWY_EXPORT(swiglu_slope_rows);

namespace {
constexpr std::size_t kGrain = 64;
}

void gelu_forward(const GeluForward& args) noexcept {
  if (args.bias == nullptr) {
    const auto run = HWY_DYNAMIC_DISPATCH(gelu_flat);
    parallel_ranges(args.tokens * args.channels, kGrain, 2 * sizeof(float),
                    [&](std::size_t first, std::size_t last) { run(args.x, args.y, first, last); });
    return;
  }
  const auto run = HWY_DYNAMIC_DISPATCH(gelu_rows);
  parallel_ranges(args.tokens, 1, args.channels * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void gelu_backward(const GeluBackward& args) noexcept {
  if (args.bias == nullptr && args.dbias == nullptr) {
    const auto run = HWY_DYNAMIC_DISPATCH(gelu_slope_flat);
    parallel_ranges(args.tokens * args.channels, kGrain, 3 * sizeof(float),
                    [&](std::size_t first, std::size_t last) { run(args, first, last); });
    return;
  }
  const auto run = HWY_DYNAMIC_DISPATCH(gelu_slope_rows);
  const std::size_t rows = block_rows(args.tokens), blocks = row_blocks(args.tokens);
  parallel_ranges(blocks, 1, rows * args.channels * 3 * sizeof(float), [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      float* sum = args.dbias ? args.scratch + b * args.channels : nullptr;
      run(args, b * rows, std::min(args.tokens, (b + 1) * rows), sum);
    }
  });
  if (args.dbias) {
    add_partial_sums(args.dbias, args.scratch, blocks, args.channels, args.channels, args.accumulate);
  }
}

std::size_t gelu_backward_scratch_bytes(std::size_t tokens, std::size_t channels, bool dbias) noexcept {
  return dbias ? partial_sum_bytes(tokens, channels, 1) : 0;
}

void swiglu_forward(const SwigluForward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(swiglu_rows);
  parallel_ranges(args.tokens, 1, args.width * 3 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void swiglu_backward(const SwigluBackward& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(swiglu_slope_rows);
  parallel_ranges(args.tokens, 1, args.width * 5 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
