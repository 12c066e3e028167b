// Sums of squares of a flat buffer, one per block of 4,096 elements, computed by the team in
// parallel. The fixed blocks make the result independent of the team and of sharding.
#include "megascale/kernels/cpu/block_norm.h"

#include <cmath>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/block_norm.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/square_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

void square_sums(const float* x, std::size_t count, double* sums, std::size_t first,
                 std::size_t last) {
  for (std::size_t b = first; b < last; ++b) {
    const std::size_t begin = b * kNormBlock;
    sums[b] = square_sum(x + begin, std::min(kNormBlock, count - begin));
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(square_sums);

std::size_t block_square_sums(std::span<const float> x, std::span<double> sums) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(square_sums);
  const std::size_t blocks = norm_blocks(x.size());
  parallel_ranges(blocks, 1, kNormBlock * sizeof(float), [&](std::size_t first, std::size_t last) {
    run(x.data(), x.size(), sums.data(), first, last);
  });
  std::size_t bad = 0;
  for (std::size_t b = 0; b < blocks; ++b) bad += std::isfinite(sums[b]) ? 0 : 1;
  return bad;
}

double add_blocks(std::span<const double> sums) noexcept {
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace megascale::kernels::cpu
#endif
