#include "megascale/kernels/cpu/preference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/every_setup.h"
#include "kernels/preference_batch.h"
#include "megascale/kernels/cpu/cross_entropy.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::Outputs;
using testing::plain_loss;
using testing::PreferenceBatch;
using testing::run_every_setup;

TEST(PreferenceKernelTest, LossAndSlopeAreThoseOfTheFormula) {
  for (const double smoothing : {0.0, 0.1, 0.499}) {
    for (const double margin : {-40.0, -3.0, -1e-3, 0.0, 1e-9, 0.7, 5.0, 40.0}) {
      // beta 0.5: half of the difference of log-ratios is the margin.
      const PairLoss pair = pair_loss({.chosen = -10 + 2 * margin,
                                       .rejected = -8,
                                       .reference_chosen = -10,
                                       .reference_rejected = -8},
                                      {.beta = 0.5, .label_smoothing = smoothing});
      SCOPED_TRACE(::testing::Message() << "margin " << margin << ", smoothing " << smoothing);
      EXPECT_NEAR(pair.margin(), margin, 1e-14 * (10 + std::abs(margin)));
      const auto m = static_cast<long double>(pair.margin()),
                 s = static_cast<long double>(smoothing);
      const auto want = static_cast<double>(plain_loss(m, s));
      EXPECT_NEAR(pair.loss, want, 1e-15 * (1 + std::abs(want)));
      const long double step = 1e-5L;
      const auto slope =
          static_cast<double>((plain_loss(m + step, s) - plain_loss(m - step, s)) / (2 * step));
      EXPECT_NEAR(pair.slope, slope, 1e-9);
    }
  }
  // Far from 0 the loss grows as the margin does, and nothing overflows.
  const PairLoss wrong = pair_loss({.chosen = -4000, .rejected = 0}, {.beta = 1});
  EXPECT_EQ(wrong.loss, 4000);
  EXPECT_EQ(wrong.slope, -1);
  const PairLoss right = pair_loss({.chosen = 0, .rejected = -4000}, {.beta = 1});
  EXPECT_EQ(right.loss, 0);
  EXPECT_EQ(right.slope, 0);
  EXPECT_TRUE(std::isnan(pair_loss({.chosen = kNan}, {.beta = 1}).loss));
}

// Goal: scores and loss are those of a computation in double, and with the weights cross_entropy() writes the
// gradient of the loss.  Method: central differences of the loss in double, by every logit.
TEST(PreferenceKernelTest, WeightsMakeTheGradientOfTheLoss) {
  const PreferenceBatch b;
  std::vector<float> gradient(b.tokens * b.width, kNan);
  PreferenceSums sums;
  const Outputs scores = run_every_setup([&] {
    std::vector<std::vector<float>> x(b.ranks, std::vector<float>(b.tokens * b.columns));
    std::vector<LogitStats> stats(b.ranks * b.tokens);
    const auto rows = [&](std::size_t r) {
      return cpu::LogitRows{.tokens = b.tokens,
                            .columns = b.columns,
                            .stride = b.columns,
                            .logits = x[r].data(),
                            .target = b.target.data(),
                            .vocab_start = r * b.columns,
                            .valid_vocab = b.valid};
    };
    for (std::size_t r = 0; r < b.ranks; ++r) {
      for (std::size_t n = 0; n < b.tokens; ++n)
        std::copy_n(&b.logits[n * b.width + r * b.columns], b.columns, &x[r][n * b.columns]);
      cpu::logit_stats(rows(r), &stats[r * b.tokens]);
    }
    std::vector<double> found(2 * b.pairs, kNan);
    cpu::sequence_scores({.sequences = 2 * b.pairs,
                          .length = b.length,
                          .stats = stats.data(),
                          .ranks = b.ranks,
                          .target = b.target.data(),
                          .scores = found.data()});
    std::vector<float> weights(b.tokens, kNan), loss(b.tokens);
    sums = cpu::preference_loss({.pairs = b.pairs,
                                 .length = b.length,
                                 .scores = found.data(),
                                 .reference = b.reference.data(),
                                 .shape = {.beta = b.kBeta, .label_smoothing = b.kSmoothing},
                                 .weights = weights.data()});
    for (std::size_t r = 0; r < b.ranks; ++r) {
      (void)cpu::cross_entropy({.rows = rows(r),
                                .stats = stats.data(),
                                .ranks = b.ranks,
                                .weights = weights.data(),
                                .loss = loss.data(),
                                .dlogits = x[r].data()});
      for (std::size_t n = 0; n < b.tokens; ++n)
        std::copy_n(&x[r][n * b.columns], b.columns, &gradient[n * b.width + r * b.columns]);
    }
    return Outputs{gradient, std::vector<float>(found.begin(), found.end())};
  });
  const ref::Doubles x = ref::widen(b.logits);
  const std::vector<double> want = b.exact_scores(x);
  for (std::size_t s = 0; s < want.size(); ++s) EXPECT_NEAR(scores[1][s], want[s], 1e-5) << s;
  EXPECT_NEAR(sums.loss, b.exact_loss(x), 1e-5);
  const std::vector<double> analytic = b.exact_gradient(x);
  double worst = 0, largest = 0, worst_of_reference = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    constexpr double kStep = 1e-5;
    ref::Doubles more = x, less = x;
    more[i] += kStep;
    less[i] -= kStep;
    const double slope = (b.exact_loss(more) - b.exact_loss(less)) / (2 * kStep);
    worst = std::max(worst, std::abs(gradient[i] - slope));
    largest = std::max(largest, std::abs(slope));
    worst_of_reference = std::max(worst_of_reference, std::abs(analytic[i] - slope));
    ASSERT_FALSE(std::isnan(gradient[i]));
  }
  EXPECT_GT(largest, 0.05);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(worst_of_reference, 1e-7) << "the reference of the tests of devices";
}

TEST(PreferenceKernelTest, ScoresOfContextRanksAreAdded) {
  const std::vector<double> scores{-3, -4, -5, -6, -1, -2, -1.5, -2.5}, whole{-4, -6, -6.5, -8.5},
      reference{-4.5, -5, -6, -9};
  const auto run = [&](const std::vector<double>& of_ranks, std::size_t ranks) {
    std::vector<float> weights(8, kNan);
    const auto sums = cpu::preference_loss({.pairs = 2,
                                            .length = 2,
                                            .scores = of_ranks.data(),
                                            .context_ranks = ranks,
                                            .reference = reference.data(),
                                            .shape = {.beta = 0.5},
                                            .weights = weights.data()});
    EXPECT_DOUBLE_EQ(sums.chosen, 0.5 * (0.5 - 0.5));
    EXPECT_DOUBLE_EQ(sums.rejected, 0.5 * (-1 + 0.5));
    EXPECT_EQ(sums.accurate, 1);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_GT(weights[4 * i], 0) << "the chosen answer becomes more likely";
      EXPECT_EQ(weights[4 * i + 1], weights[4 * i]);
      EXPECT_EQ(weights[4 * i + 2], -weights[4 * i]);
      EXPECT_EQ(weights[4 * i + 3], -weights[4 * i]);
    }
    return weights;
  };
  EXPECT_EQ(run(scores, 2), run(whole, 1));
}

}  // namespace
}  // namespace megascale::kernels
