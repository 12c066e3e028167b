// Rotary position embedding. Cosines and sines come from a table that is filled before, in double, so
// that the kernel only multiplies and adds.
#include "megascale/kernels/cpu/rope.h"

#include <algorithm>
#include <cmath>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/rope.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

template <bool kForward>
HWY_INLINE void rotate(const Rope& a, std::size_t first, std::size_t last) {
  const std::size_t half = a.rotated / 2;
  for (std::size_t n = first; n < last; ++n) {
    const std::size_t row = a.position == nullptr ? n : static_cast<std::size_t>(a.position[n]);
    const float* cosines = a.table + row * a.rotated;
    const float* sines = cosines + half;
    for (std::size_t h = 0; h < a.heads; ++h) {
      const float* x = a.x + n * a.x_stride + h * a.head_size;
      float* y = a.y + n * a.y_stride + h * a.head_size;
      for_each_vector(0, half, [=](auto at) HWY_ATTR {
        const Vec low = at.load(x), high = at.load(x + half), cosine = at.load(cosines),
                  sine = at.load(sines);
        const Vec from_low = hn::Mul(low, cosine), from_high = hn::Mul(high, cosine);
        at.store(kForward ? hn::NegMulAdd(high, sine, from_low) : hn::MulAdd(high, sine, from_low),
                 y);
        at.store(kForward ? hn::MulAdd(low, sine, from_high) : hn::NegMulAdd(low, sine, from_high),
                 y + half);
      });
      if (x != y) std::copy(x + a.rotated, x + a.head_size, y + a.rotated);
    }
  }
}

void rotate_forward(const Rope& a, std::size_t first, std::size_t last) {
  rotate<true>(a, first, last);
}
void rotate_backward(const Rope& a, std::size_t first, std::size_t last) {
  rotate<false>(a, first, last);
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(rotate_forward);
HWY_EXPORT(rotate_backward);

std::size_t rope_table_size(const RopeSettings& settings) noexcept {
  return settings.positions * settings.channels;
}

void rope_table(const RopeSettings& settings, std::span<float> table) noexcept {
  const std::size_t channels = settings.channels, half = channels / 2;
  const double factor = settings.scaling.attention_factor;
  parallel_ranges(settings.positions, 1, channels * 100, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = 0; i < half; ++i) {
      const auto index = static_cast<double>(i);
      const double frequency = graph::scaled_frequency(
          std::pow(settings.theta, -2.0 * index / static_cast<double>(channels)), index,
          settings.scaling);
      for (std::size_t p = first; p < last; ++p) {
        const double position = settings.position == nullptr
                                    ? static_cast<double>(p)
                                    : static_cast<double>(settings.position[p]);
        const double angle = position * frequency;
        table[p * channels + i] = static_cast<float>(factor * std::cos(angle));
        table[p * channels + half + i] = static_cast<float>(factor * std::sin(angle));
      }
    }
  });
}

void rope_forward(const Rope& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(rotate_forward);
  parallel_ranges(args.tokens, 1, args.heads * args.head_size * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void rope_backward(const Rope& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(rotate_backward);
  parallel_ranges(args.tokens, 1, args.heads * args.head_size * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
