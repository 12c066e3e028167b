// Sums over tokens, in the fixed blocks of row_blocks.h: each block of rows is summed into scratch
// in parallel, then the blocks are added in order.
#include "megascale/kernels/cpu/column_sum.h"

#include <cstring>

#include "megascale/kernels/cpu/row_blocks.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/column_sum.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

void sum_rows(const ColumnSum& a, std::size_t first, std::size_t last, float* sum) {
  std::memset(sum, 0, a.channels * sizeof(float));
  const std::size_t stride = a.stride;
  std::size_t n = first;
  for (; n + 4 <= last;
       n += 4) {  // rows are still added in order; `sum` is read and written a quarter as often
    const float* x = a.x + n * stride;
    for_each_vector(0, a.channels, [=](auto at) HWY_ATTR {
      const Vec two = hn::Add(hn::Add(at.load(sum), at.load(x)), at.load(x + stride));
      at.store(hn::Add(hn::Add(two, at.load(x + 2 * stride)), at.load(x + 3 * stride)), sum);
    });
  }
  for (; n < last; ++n) {
    const float* x = a.x + n * stride;
    for_each_vector(0, a.channels,
                    [=](auto at) HWY_ATTR { at.store(hn::Add(at.load(sum), at.load(x)), sum); });
  }
}

void add_partials(float* result, const float* partials, std::size_t blocks, std::size_t stride,
                  std::size_t first, std::size_t last, bool accumulate) {
  for_each_vector(first, last, [=](auto at) HWY_ATTR {
    Vec sum = at.load(partials);
    for (std::size_t b = 1; b < blocks; ++b) sum = hn::Add(sum, at.load(partials + b * stride));
    at.store(accumulate ? hn::Add(at.load(result), sum) : sum, result);
  });
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(sum_rows);
HWY_EXPORT(add_partials);

void add_partial_sums(float* result, const float* partials, std::size_t blocks, std::size_t stride,
                      std::size_t channels, bool accumulate) noexcept {
  if (blocks == 0) {
    if (!accumulate) std::memset(result, 0, channels * sizeof(float));
    return;
  }
  const auto run = HWY_DYNAMIC_DISPATCH(add_partials);
  parallel_ranges(channels, 16, (blocks + 2) * sizeof(float),
                  [=](std::size_t first, std::size_t last) {
                    run(result, partials, blocks, stride, first, last, accumulate);
                  });
}

void column_sum(const ColumnSum& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(sum_rows);
  const std::size_t rows = block_rows(args.tokens), blocks = row_blocks(args.tokens);
  parallel_ranges(blocks, 1, rows * args.channels * sizeof(float),
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t b = first; b < last; ++b) {
                      run(args, b * rows, std::min(args.tokens, (b + 1) * rows),
                          args.scratch + b * args.channels);
                    }
                  });
  add_partial_sums(args.result, args.scratch, blocks, args.channels, args.channels,
                   args.accumulate);
}

std::size_t column_sum_scratch_bytes(std::size_t tokens, std::size_t channels) noexcept {
  return partial_sum_bytes(tokens, channels, 1);
}

}  // namespace megascale::kernels::cpu
#endif
