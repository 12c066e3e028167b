// Rows are gathered in both directions: a token sums the rows of its choices through the inverse
// map, so no two threads write the same row and the order of the sum is fixed.
#include "megascale/kernels/cpu/routed_rows.h"

#include <cstring>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/routed_rows.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

void gather_routed_rows(const GatherRows& a, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const auto slot = static_cast<std::size_t>(a.source[i]);
    const float* x = a.x + slot / a.per_token * a.channels;
    float* y = a.y + i * a.channels;
    if (a.weight == nullptr) {
      std::memcpy(y, x, a.channels * sizeof(float));
      continue;
    }
    const Vec weight = set(a.weight[slot]);
    for_each_vector(0, a.channels,
                    [=](auto at) HWY_ATTR { at.store(hn::Mul(weight, at.load(x)), y); });
  }
}

void combine_token_rows(const CombineRows& a, std::size_t first, std::size_t last) {
  const std::size_t channels = a.channels;
  for (std::size_t n = first; n < last; ++n) {
    float* y = a.y + n * channels;
    bool written = a.accumulate;
    for (std::size_t j = n * a.per_token; j < (n + 1) * a.per_token; ++j) {
      if (a.place[j] < 0) continue;
      const float* x = a.x + static_cast<std::size_t>(a.place[j]) * channels;
      const bool weighted = a.weight != nullptr;
      if (!written && !weighted) {
        std::memcpy(y, x, channels * sizeof(float));
      } else {
        const Vec weight = set(weighted ? a.weight[j] : 1.0F);
        for_each_vector(0, channels, [=](auto at) HWY_ATTR {
          const Vec term = weighted ? hn::Mul(weight, at.load(x)) : at.load(x);
          at.store(written ? hn::Add(at.load(y), term) : term, y);
        });
      }
      written = true;
    }
    if (!written) std::memset(y, 0, channels * sizeof(float));
  }
}

void weight_gradient_tokens(const CombineWeightGradient& a, std::size_t first, std::size_t last) {
  for (std::size_t n = first; n < last; ++n) {
    const float* dy = a.dy + n * a.channels;
    for (std::size_t j = n * a.per_token; j < (n + 1) * a.per_token; ++j) {
      a.dweight[j] = 0;
      if (a.place[j] < 0) continue;
      const float* x = a.x + static_cast<std::size_t>(a.place[j]) * a.channels;
      row_sums<1>(a.channels, a.dweight + j, [=](auto at, Vec* lanes) HWY_ATTR {
        lanes[0] = hn::MulAdd(at.load(dy), at.load(x), lanes[0]);
      });
    }
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(gather_routed_rows);
HWY_EXPORT(combine_token_rows);
HWY_EXPORT(weight_gradient_tokens);

namespace {
// Rows per share of a thread: a cache line of results if the rows have one channel.
constexpr std::size_t kRowGrain = 16;
}  // namespace

void gather_rows(const GatherRows& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(gather_routed_rows);
  parallel_ranges(args.rows, kRowGrain, args.channels * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void combine_rows(const CombineRows& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(combine_token_rows);
  parallel_ranges(args.tokens, kRowGrain, (args.per_token + 1) * args.channels * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void combine_weight_gradient(const CombineWeightGradient& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(weight_gradient_tokens);
  parallel_ranges(args.tokens, kRowGrain, 2 * args.per_token * args.channels * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
