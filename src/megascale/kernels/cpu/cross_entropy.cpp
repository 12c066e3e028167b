// Softmax cross entropy over a vocabulary that may be split over ranks. Each rank reduces its
// columns of a row to a maximum, a sum of exponentials and the target's logit; the statistics of
// all ranks are joined; then each rank computes the loss and its columns of the gradient.
#include "megascale/kernels/cpu/cross_entropy.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/cross_entropy.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/simd-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_CROSS_ENTROPY_ONCE_
#define MEGASCALE_KERNELS_CPU_CROSS_ENTROPY_ONCE_
namespace megascale::kernels::cpu {

// Returns the number of this rank's columns that are not padding.
inline std::size_t valid_columns(const LogitRows& rows) {
  if (rows.valid_vocab <= rows.vocab_start) return 0;
  return std::min(rows.columns, rows.valid_vocab - rows.vocab_start);
}

// Returns the target's column on this rank, or `valid` if this rank does not hold the target.
inline std::size_t target_column(const LogitRows& rows, std::size_t n, std::size_t valid) {
  const std::int64_t column =
      std::int64_t{rows.target[n]} - static_cast<std::int64_t>(rows.vocab_start);
  if (rows.target[n] < 0 || column < 0 || column >= static_cast<std::int64_t>(valid)) return valid;
  return static_cast<std::size_t>(column);
}

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Returns the largest of x[first .. last). A NaN may be lost here; the sum of exponentials keeps
// it.
HWY_INLINE float row_max(const float* x, std::size_t first, std::size_t last) {
  Vec best = set(-std::numeric_limits<float>::infinity());
  for_each_vector(first, last, [&](auto at) HWY_ATTR {
    const Vec v = at.load(x);
    best = hn::Max(
        best, at.c + kLanes <= last ? v : hn::IfThenElse(hn::FirstN(Tag(), last - at.c), v, best));
  });
  HWY_ALIGN float lanes[kLanes];
  hn::Store(best, Tag(), lanes);
  float largest = lanes[0];
  for (std::size_t i = 1; i < kLanes; ++i) largest = lanes[i] > largest ? lanes[i] : largest;
  return largest;
}

// Reads the row from memory once: each block of columns comes into the first-level cache, where
// first its maximum and then its sum are computed. The running sum is in double; it is scaled when
// the maximum grows.
LogitStats row_stats(const float* x, std::size_t valid, std::size_t target) {
  constexpr std::size_t kBlock = 4096;
  float max = -std::numeric_limits<float>::infinity();
  double sum = 0;
  for (std::size_t first = 0; first < valid; first += kBlock) {
    const std::size_t last = std::min(valid, first + kBlock);
    const float block_max = row_max(x, first, last);
    if (block_max > max) {
      sum *= std::exp(static_cast<double>(max) -
                      static_cast<double>(block_max));  // first block: 0 * exp(-inf)
      max = block_max;
    }
    // max = -inf: all columns so far are -inf or NaN. Center by 0 then, since (-inf) - (-inf) would
    // be a NaN; a NaN among the logits still passes.
    const Vec center = set(max == -std::numeric_limits<float>::infinity() ? 0.0F : max);
    float block_sum = 0;
    const float* block = x + first;
    row_sums<1>(last - first, &block_sum, [=](auto at, Vec* lanes) HWY_ATTR {
      lanes[0] = hn::Add(lanes[0], at.keep(exp_nonpositive(hn::Sub(at.load(block), center))));
    });
    sum += static_cast<double>(block_sum);
  }
  return {max, static_cast<float>(sum),
          target < valid ? x[target] : -std::numeric_limits<float>::infinity()};
}

void stats_rows(const LogitRows& rows, LogitStats* stats, std::size_t first, std::size_t last) {
  const std::size_t valid = valid_columns(rows);
  for (std::size_t n = first; n < last; ++n) {
    stats[n] = row_stats(rows.logits + n * rows.stride, valid, target_column(rows, n, valid));
  }
}

// A token that does not count: loss 0 and a row of zeros.
void skip_row(const CrossEntropy& a, std::size_t n) {
  a.loss[n] = 0;
  if (a.dlogits) std::memset(a.dlogits + n * a.rows.stride, 0, a.rows.columns * sizeof(float));
}

void loss_row(const CrossEntropy& a, std::size_t valid, std::size_t n, const TokenLoss& token) {
  const LogitRows& rows = a.rows;
  a.loss[n] = static_cast<float>(token.loss);
  if (!a.dlogits) return;
  const float weight = a.weights != nullptr ? a.weights[n] : 1.0F;
  const float* x = rows.logits + n * rows.stride;
  float* dx = a.dlogits + n * rows.stride;
  const Vec center = set(token.max), scale = set(static_cast<float>(1.0 / token.sum) * weight);
  for_each_vector(0, valid, [=](auto at) HWY_ATTR {
    at.store(hn::Mul(exp_nonpositive(hn::Sub(at.load(x), center)), scale), dx);
  });
  std::memset(dx + valid, 0, (rows.columns - valid) * sizeof(float));
  const std::size_t target = target_column(rows, n, valid);
  if (target < valid) dx[target] -= weight;
}

void loss_rows(const CrossEntropy& a, std::size_t first, std::size_t last) {
  const std::size_t valid = valid_columns(a.rows);
  const std::size_t stride = a.stats_stride != 0 ? a.stats_stride : a.rows.tokens;
  for (std::size_t n = first; n < last; ++n) {
    if (a.rows.target[n] < 0) {
      skip_row(a, n);
    } else {
      loss_row(a, valid, n, token_loss(a.stats, a.ranks, stride, n));
    }
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(stats_rows);
HWY_EXPORT(loss_rows);

namespace {

LossSum add_losses(const CrossEntropy& args) noexcept {
  LossSum sum;
  for (std::size_t n = 0; n < args.rows.tokens; ++n) {
    if (args.rows.target[n] < 0) continue;
    sum.loss += static_cast<double>(args.loss[n]);
    ++sum.tokens;
  }
  return sum;
}

}  // namespace

void logit_stats(const LogitRows& rows, LogitStats* stats) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(stats_rows);
  parallel_ranges(rows.tokens, 1, rows.columns * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(rows, stats, first, last); });
}

LossSum cross_entropy(const CrossEntropy& args) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(loss_rows);
  parallel_ranges(args.rows.tokens, 1, args.rows.columns * 2 * sizeof(float),
                  [&](std::size_t first, std::size_t last) { run(args, first, last); });
  return add_losses(args);
}

}  // namespace megascale::kernels::cpu
#endif
