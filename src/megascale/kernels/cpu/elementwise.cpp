// Element-wise sums, copies and conversions: simple vector loops whose range is shared over the
// team.
#include "megascale/kernels/cpu/elementwise.h"

#include <bit>
#include <cstring>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/elementwise.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

void add_flat(const float* a, const float* b, float* y, std::size_t first, std::size_t last) {
  for_each_vector(first, last,
                  [=](auto at) HWY_ATTR { at.store(hn::Add(at.load(a), at.load(b)), y); });
}

void scale_flat(const float* x, float* y, float factor, std::size_t first, std::size_t last) {
  const Vec factors = set(factor);
  for_each_vector(first, last,
                  [=](auto at) HWY_ATTR { at.store(hn::Mul(at.load(x), factors), y); });
}

void add_bias_rows(const AddBias& args, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float *x = args.x + n * args.channels, *bias = args.bias;
    float* y = args.y + n * args.channels;
    for_each_vector(0, args.channels,
                    [=](auto at) HWY_ATTR { at.store(hn::Add(at.load(x), at.load(bias)), y); });
  }
}

// Integer arithmetic without branches: the compiler vectorizes it for the vector target that this
// pass of foreach_target compiles.
void narrow_flat(const float* HWY_RESTRICT x, std::uint16_t* HWY_RESTRICT y, std::size_t first,
                 std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(x[i]);
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    const std::uint32_t quiet = (bits >> 16) | 0x40U;
    y[i] = static_cast<std::uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? quiet : rounded);
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(add_flat);
HWY_EXPORT(scale_flat);
HWY_EXPORT(add_bias_rows);
HWY_EXPORT(narrow_flat);

namespace {
constexpr std::size_t kGrain = 64;  // elements: threads never share a cache line
constexpr std::size_t kPage = 4096;
}  // namespace

void add(const Add& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(add_flat);
  parallel_ranges(
      args.tokens * args.channels, kGrain, 3 * sizeof(float),
      [&](std::size_t first, std::size_t last) { run(args.a, args.b, args.y, first, last); });
}

void scale(const Scale& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(scale_flat);
  parallel_ranges(
      args.tokens * args.channels, kGrain, 2 * sizeof(float),
      [&](std::size_t first, std::size_t last) { run(args.x, args.y, args.factor, first, last); });
}

void add_bias(const AddBias& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(add_bias_rows);
  parallel_ranges(args.tokens, 1, args.channels * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept {
  parallel_ranges(from.size(), kPage, 2, [&](std::size_t first, std::size_t last) {
    std::memcpy(to.data() + first, from.data() + first, last - first);
  });
}

void to_bfloat16(std::span<std::uint16_t> y, std::span<const float> x) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(narrow_flat);
  parallel_ranges(x.size(), kGrain, 6, [&](std::size_t first, std::size_t last) {
    run(x.data(), y.data(), first, last);
  });
}

}  // namespace megascale::kernels::cpu
#endif
