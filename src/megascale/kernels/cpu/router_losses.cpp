// Losses of the router. The counts of all ranks give one coefficient per expert; the loss of a
// token is then a weighted sum of its probabilities, and its gradient needs that token alone.
#include "megascale/kernels/cpu/router_losses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "megascale/kernels/cpu/row_blocks.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "megascale/kernels/cpu/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/router_losses.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/router_scores-inl.h"

#ifndef MEGASCALE_KERNELS_CPU_ROUTER_LOSSES_ONCE_
#define MEGASCALE_KERNELS_CPU_ROUTER_LOSSES_ONCE_
namespace megascale::kernels::cpu {

// The two losses of some tokens, before the coefficient of the second one.
struct LossPair {
  double balance = 0, square = 0;
};

// w c_e and w z_coefficient of router_losses.h.
struct Coefficients {
  std::array<float, kMostExperts> of_experts{};
  double z = 0;
};

// The operands of the gradient beside those of the losses.
struct GradientRows {
  const float* addend;
  float* dlogits;
};

}  // namespace megascale::kernels::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

// Values of a token that both the losses and the gradient need.
struct TokenScores {
  float sum;        // softmax: 1; sigmoid: the sum of the scores
  float mean;       // sum over e of c_e P[e]
  float log_total;  // log sum_e exp logits[e]; only if asked for
};

// Writes the scores of a token (softmax or sigmoid), before they are divided by `sum`. The buffer
// `other` may be overwritten.
HWY_INLINE TokenScores token_scores(const RouterLosses& a, const Coefficients& c, std::size_t n,
                                    float* scores, float* other, bool with_total) {
  const std::size_t experts = a.shape.experts;
  const float* x = a.logits + n * experts;
  const bool softmax = a.shape.score_function == ScoreFunction::softmax;
  TokenScores token{1, 0, 0};
  const auto log_of = [](RowExponentials row) {
    return static_cast<float>(std::log(static_cast<double>(row.sum)) +
                              static_cast<double>(row.max));
  };
  if (softmax) {
    token.log_total = log_of(row_softmax(x, experts, scores));
  } else {
    if (with_total) token.log_total = log_of(row_exponentials(x, experts, other));
    row_sigmoid(x, experts, scores);
  }
  const float* weights = c.of_experts.data();
  float sums[2];
  row_sums<2>(experts, sums, [=](auto at, Vec* lanes) HWY_ATTR {
    const Vec score = at.keep(at.load(scores));
    lanes[0] = hn::Add(lanes[0], score);
    lanes[1] = hn::MulAdd(score, at.load(weights), lanes[1]);
  });
  if (!softmax) token.sum = sums[0];
  token.mean = sums[1] / token.sum;
  return token;
}

// Whether a token has no losses.
HWY_INLINE bool is_padding(const RouterLosses& a, std::size_t n) {
  return a.choice != nullptr &&
         static_cast<std::size_t>(a.choice[n * a.shape.top_k]) >= a.shape.experts;
}

LossPair loss_rows_of_router(const RouterLosses& a, const Coefficients& c, std::size_t first,
                             std::size_t last) {
  HWY_ALIGN float scores[kMostExperts];
  HWY_ALIGN float other[kMostExperts];
  LossPair sum;
  for (std::size_t n = first; n < last; ++n) {
    if (is_padding(a, n)) continue;
    const TokenScores token = token_scores(a, c, n, scores, other, true);
    sum.balance += static_cast<double>(token.mean);
    sum.square += static_cast<double>(token.log_total) * static_cast<double>(token.log_total);
  }
  return sum;
}

void gradient_rows_of_router(const RouterLosses& a, const Coefficients& c, const GradientRows& g,
                             std::size_t first, std::size_t last) {
  const std::size_t experts = a.shape.experts;
  const bool softmax = a.shape.score_function == ScoreFunction::softmax;
  const bool with_z = c.z != 0;
  HWY_ALIGN float scores[kMostExperts];
  HWY_ALIGN float other[kMostExperts];
  const float* weights = c.of_experts.data();
  for (std::size_t n = first; n < last; ++n) {
    if (is_padding(a, n)) {
      float* row = g.dlogits + n * experts;
      if (g.addend == nullptr) {
        std::fill_n(row, experts, 0.0F);
      } else if (g.addend != g.dlogits) {
        std::copy_n(g.addend + n * experts, experts, row);
      }
      continue;
    }
    const TokenScores token = token_scores(a, c, n, scores, other, with_z);
    // d(log sum exp)^2 / dlogit[e] = 2 (log sum exp) softmax_e
    const Vec z = set(static_cast<float>(2 * c.z) * token.log_total);
    const Vec mean = set(token.mean), inverse = set(1.0F / token.sum);
    const Vec log_total = set(token.log_total);
    const float* x = a.logits + n * experts;
    const float* addend = g.addend == nullptr ? nullptr : g.addend + n * experts;
    float* dlogits = g.dlogits + n * experts;
    for_each_vector(0, experts, [=, &scores](auto at) HWY_ATTR {
      const Vec score = at.load(scores);
      const Vec dscore = hn::Mul(hn::Sub(at.load(weights), mean), inverse);
      Vec slope = softmax ? score : hn::Mul(score, hn::Sub(set(1.0F), score));
      slope = hn::Mul(slope, dscore);
      if (with_z) {
        const Vec probability = softmax ? score : exp_nonpositive(hn::Sub(at.load(x), log_total));
        slope = hn::MulAdd(z, probability, slope);
      }
      at.store(addend == nullptr ? slope : hn::Add(at.load(addend), slope), dlogits);
    });
  }
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(loss_rows_of_router);
HWY_EXPORT(gradient_rows_of_router);

namespace {

// Returns the sum over the ranks of column `i` of counts (r, columns).
std::int64_t over_ranks(const std::int64_t* counts, std::size_t ranks, std::size_t columns,
                        std::size_t i) noexcept {
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < ranks; ++r) sum += counts[r * columns + i];
  return sum;
}

// Returns the coefficients; all are 0 if nothing was routed.
Coefficients coefficients_of(const RouterLosses& a) noexcept {
  Coefficients c;
  const std::size_t experts = a.shape.experts;
  const auto real = [](auto count) { return static_cast<double>(count); };
  const auto load = [&](std::size_t e) { return real(over_ranks(a.loads, a.ranks, experts, e)); };
  double choices = 0;  // k T
  for (std::size_t e = 0; e < experts; ++e) choices += load(e);
  if (choices == 0) return c;
  const double tokens = choices / real(a.shape.top_k);
  const double weight = a.counted == nullptr ? 1 : real(*a.counted) / tokens;
  c.z = weight * a.z_coefficient;
  const double per_choice = real(experts) / choices;
  const std::size_t groups = std::max<std::size_t>(a.groups, 1), size = experts / groups;
  for (std::size_t d = 0; d < groups; ++d) {
    double group = 0;  // loads of the group
    for (std::size_t e = d * size; e < (d + 1) * size; ++e) group += load(e);
    double extra = a.groups == 0 ? 0 : a.device_coefficient * group * per_choice / real(size);
    if (a.groups != 0 && a.communication_coefficient != 0) {
      extra += a.communication_coefficient * real(a.groups) *
               real(over_ranks(a.sent, a.ranks, a.groups, d)) /
               (real(std::min(a.shape.top_k, a.groups)) * tokens);
    }
    for (std::size_t e = d * size; e < (d + 1) * size; ++e) {
      c.of_experts[e] =
          static_cast<float>(weight * (a.expert_coefficient * load(e) * per_choice + extra));
    }
  }
  return c;
}

}  // namespace

std::size_t router_losses_scratch_bytes(std::size_t tokens) noexcept {
  const std::size_t blocks = (tokens + kMinBlockRows - 1) / kMinBlockRows;
  return std::min(kMaxRowBlocks, blocks) * sizeof(LossPair);
}

void router_losses(const RouterLosses& args, double* losses, std::byte* scratch) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(loss_rows_of_router);
  const Coefficients c = coefficients_of(args);
  auto* const sums = reinterpret_cast<LossPair*>(scratch);
  const std::size_t tokens = args.shape.tokens, rows = block_rows(tokens),
                    blocks = row_blocks(tokens);
  parallel_ranges(blocks, 1, rows * args.shape.experts * 8 * sizeof(float),
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t b = first; b < last; ++b)
                      sums[b] = run(args, c, b * rows, std::min(tokens, (b + 1) * rows));
                  });
  LossPair sum;
  for (std::size_t b = 0; b < blocks; ++b) {
    sum.balance += sums[b].balance;
    sum.square += sums[b].square;
  }
  losses[0] = sum.balance;
  losses[1] = c.z * sum.square;
}

void router_losses_gradient(const RouterLosses& args, const float* addend,
                            float* dlogits) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(gradient_rows_of_router);
  const Coefficients c = coefficients_of(args);
  parallel_ranges(args.shape.tokens, 1, args.shape.experts * 8 * sizeof(float),
                  [&](std::size_t first, std::size_t last) {
                    run(args, c, {addend, dlogits}, first, last);
                  });
}

void group_loads(const GroupLoads& a) noexcept {
  std::fill_n(a.sent, a.groups, std::int64_t{0});
  const std::size_t size = a.experts / a.groups;
  for (std::size_t n = 0; n < a.tokens; ++n) {
    const std::int32_t* choice = a.choice + n * a.top_k;
    const auto group = [=](std::size_t j) { return static_cast<std::size_t>(choice[j]) / size; };
    for (std::size_t j = 0; j < a.top_k; ++j) {
      bool counted = static_cast<std::size_t>(choice[j]) >= a.experts;
      for (std::size_t i = 0; i < j && !counted; ++i) counted = group(i) == group(j);
      if (!counted) ++a.sent[group(j)];
    }
  }
}

void load_excess(const std::int64_t* loads, std::size_t experts, bool accumulate,
                 float* excess) noexcept {
  const std::int64_t all = std::accumulate(loads, loads + experts, std::int64_t{0});
  for (std::size_t e = 0; e < experts; ++e) {
    const auto value = static_cast<float>(static_cast<std::int64_t>(experts) * loads[e] - all);
    excess[e] = accumulate ? excess[e] + value : value;
  }
}

void update_choice_bias(const float* excess, std::size_t count, float rate, float* bias) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (excess[i] > 0) bias[i] -= rate;
    if (excess[i] < 0) bias[i] += rate;
  }
}

}  // namespace megascale::kernels::cpu
#endif
