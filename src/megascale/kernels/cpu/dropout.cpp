// Dropout: 64 channels at a time, whose random words are computed by vectors of Philox blocks.
#include "megascale/kernels/cpu/dropout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/dropout.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

void drop_rows(const Dropout& args, std::size_t first, std::size_t last) {
  const std::size_t groups = (args.channels + kWordsOfGroup - 1) / kWordsOfGroup;
  const std::uint32_t threshold = args.draws.threshold();
  const float scale = args.draws.scale();
  HWY_ALIGN std::uint32_t words[kWordsOfGroup];
  for (std::size_t r = first; r < last; ++r) {
    const std::uint64_t number = args.number(r);
    for (std::size_t g = 0; g < groups; ++g) {
      philox_group(args.draws.seed, args.draws.stream, number * groups + g, words);
      const std::size_t at = r * args.channels + g * kWordsOfGroup;
      const std::size_t count = std::min(kWordsOfGroup, args.channels - g * kWordsOfGroup);
      // Without branches, so that the compiler vectorizes it.
      for (std::size_t i = 0; i < count; ++i) {
        const bool kept = words[i] >= threshold;
        args.mask[at + i] = kept ? 1 : 0;
        args.y[at + i] = kept ? args.x[at + i] * scale : 0.0F;
      }
    }
  }
}

void drop_gradient(const DropoutGradient& args, std::size_t first, std::size_t last) {
  const float scale = DropoutDraws{.rate = args.rate}.scale();
  for (std::size_t i = first; i < last; ++i)
    args.dx[i] = args.mask[i] != 0 ? args.dy[i] * scale : 0.0F;
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(drop_rows);
HWY_EXPORT(drop_gradient);

void dropout(const Dropout& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(drop_rows);
  // The draws of an element cost about as much time as 16 bytes of memory.
  constexpr std::size_t kCost = 16;
  parallel_ranges(args.rows, 1, args.channels * (2 * sizeof(float) + 1 + kCost),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

void dropout_gradient(const DropoutGradient& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(drop_gradient);
  parallel_ranges(args.count, 64, 2 * sizeof(float) + 1,
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
}

}  // namespace megascale::kernels::cpu
#endif
