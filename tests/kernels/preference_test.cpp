#include "megascale/kernels/cpu/preference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/every_setup.h"
#include "megascale/kernels/ref/cross_entropy.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;

// The loss as the paper writes it, in long double and without care for large margins.
long double plain_loss(long double m, long double smoothing) {
  const auto log_sigmoid = [](long double x) { return -std::log(1 + std::exp(-x)); };
  return -(1 - smoothing) * log_sigmoid(m) - smoothing * log_sigmoid(-m);
}

TEST(PreferenceKernelTest, LossAndSlopeAreThoseOfTheFormula) {
  for (const double smoothing : {0.0, 0.1, 0.499}) {
    for (const double margin : {-40.0, -3.0, -1e-3, 0.0, 1e-9, 0.7, 5.0, 40.0}) {
      // beta 0.5: half of the difference of log-ratios is the margin.
      const cpu::PairLoss pair = cpu::pair_loss({.chosen = -10 + 2 * margin,
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
  const cpu::PairLoss wrong = cpu::pair_loss({.chosen = -4000, .rejected = 0}, {.beta = 1});
  EXPECT_EQ(wrong.loss, 4000);
  EXPECT_EQ(wrong.slope, -1);
  const cpu::PairLoss right = cpu::pair_loss({.chosen = 0, .rejected = -4000}, {.beta = 1});
  EXPECT_EQ(right.loss, 0);
  EXPECT_EQ(right.slope, 0);
  EXPECT_TRUE(std::isnan(cpu::pair_loss({.chosen = kNan}, {.beta = 1}).loss));
}

// A batch of pairs: logits of `ranks` ranks along the vocabulary, and sequences that are cut over `contexts` ranks.
struct Batch {
  std::size_t pairs = 3, length = 6, valid = 11, ranks = 2, contexts = 1;
  std::size_t tokens = 2 * pairs * length, columns = 6;
  std::vector<float> logits =
      normal(tokens * columns * ranks, 7, 2.0);  // (tokens, ranks x columns)
  std::vector<std::int32_t> target = std::vector<std::int32_t>(tokens);
  std::vector<double> reference;

  Batch() {
    for (std::size_t n = 0; n < tokens; ++n)
      target[n] = n % 3 == 1 ? -1 : static_cast<std::int32_t>(n * 5 % valid);
    for (std::size_t b = 0; b < 2 * pairs; ++b) reference.push_back(-9.0 + static_cast<double>(b));
  }
  // The scores of the sequences in double, from the logits `x`.
  [[nodiscard]] std::vector<double> exact_scores(const ref::Doubles& x) const {
    const auto loss = ref::cross_entropy(x, target, columns * ranks, valid).loss;
    std::vector<double> scores(2 * pairs);
    for (std::size_t n = 0; n < tokens; ++n) scores[n / length] -= loss[n];
    return scores;
  }
  [[nodiscard]] double exact_loss(const ref::Doubles& x) const {
    const std::vector<double> scores = exact_scores(x);
    double sum = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
      const double m =
          0.3 * (scores[2 * i] - reference[2 * i] - scores[2 * i + 1] + reference[2 * i + 1]);
      sum += static_cast<double>(plain_loss(static_cast<long double>(m), 0.2L));
    }
    return sum;
  }
};

// Goal: scores and loss are those of a computation in double, and with the weights cross_entropy() writes the
// gradient of the loss.  Method: central differences of the loss in double, by every logit.
TEST(PreferenceKernelTest, WeightsMakeTheGradientOfTheLoss) {
  const Batch b;
  const std::size_t width = b.columns * b.ranks;
  std::vector<float> gradient(b.tokens * width, kNan);
  cpu::PreferenceSums sums;
  const Outputs scores = run_every_setup([&] {
    std::vector<std::vector<float>> x(b.ranks, std::vector<float>(b.tokens * b.columns));
    std::vector<cpu::LogitStats> stats(b.ranks * b.tokens);
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
        std::copy_n(&b.logits[n * width + r * b.columns], b.columns, &x[r][n * b.columns]);
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
                                 .shape = {.beta = 0.3, .label_smoothing = 0.2},
                                 .weights = weights.data()});
    for (std::size_t r = 0; r < b.ranks; ++r) {
      (void)cpu::cross_entropy({.rows = rows(r),
                                .stats = stats.data(),
                                .ranks = b.ranks,
                                .weights = weights.data(),
                                .loss = loss.data(),
                                .dlogits = x[r].data()});
      for (std::size_t n = 0; n < b.tokens; ++n)
        std::copy_n(&x[r][n * b.columns], b.columns, &gradient[n * width + r * b.columns]);
    }
    return Outputs{gradient, std::vector<float>(found.begin(), found.end())};
  });
  const ref::Doubles x = ref::widen(b.logits);
  const std::vector<double> want = b.exact_scores(x);
  for (std::size_t s = 0; s < want.size(); ++s) EXPECT_NEAR(scores[1][s], want[s], 1e-5) << s;
  EXPECT_NEAR(sums.loss, b.exact_loss(x), 1e-5);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    constexpr double kStep = 1e-5;
    ref::Doubles more = x, less = x;
    more[i] += kStep;
    less[i] -= kStep;
    const double slope = (b.exact_loss(more) - b.exact_loss(less)) / (2 * kStep);
    worst = std::max(worst, std::abs(gradient[i] - slope));
    largest = std::max(largest, std::abs(slope));
    ASSERT_FALSE(std::isnan(gradient[i]));
  }
  EXPECT_GT(largest, 0.05);
  EXPECT_LT(worst, 1e-6);
}

TEST(PreferenceKernelTest, ScoresOfContextRanksAreAdded) {
  const std::vector<double> scores{-3, -4, -5, -6, -1, -2, -1.5, -2.5}, whole{-4, -6, -6.5, -8.5},
      reference{-4.5, -5, -6, -9};
  const auto run = [&](const std::vector<double>& of_ranks, std::size_t ranks) {
    std::vector<float> weights(4 * 2, kNan);
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
