#include "megascale/optimizer/schedule.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

// The learning rate of every schedule: values that were computed by hand, and every step against a
// closed formula of each style that shares nothing with the function.
namespace megascale::optimizer {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct At {
  std::int64_t step;
  double rate;
};

void expect_rates(const OptimizerConfig& config, std::initializer_list<At> table) {
  for (const At& at : table) {
    EXPECT_NEAR(learning_rate(config, at.step), at.rate, 1e-15) << "step " << at.step;
  }
}

// Warm-up over 4 steps to 0.8, then the decay, at step 12 at min_lr = 0.2.
OptimizerConfig four_then_eight(LrDecayStyle style) {
  return {.lr = 0.8,
          .min_lr = 0.2,
          .lr_warmup_iters = 4,
          .lr_decay_iters = 12,
          .lr_decay_style = style};
}

constexpr std::initializer_list<At> kWarmup = {{0, 0.2}, {1, 0.4}, {2, 0.6}, {3, 0.8}};

TEST(LearningRateTest, WarmupRisesByEqualStepsAndEndsAtTheFullRate) {
  for (const auto style :
       {LrDecayStyle::constant, LrDecayStyle::linear, LrDecayStyle::cosine, LrDecayStyle::wsd}) {
    OptimizerConfig config = four_then_eight(style);
    if (style == LrDecayStyle::wsd) config.lr_wsd_decay_iters = 3;
    expect_rates(config, kWarmup);
    // The first step after the warm-up has the full rate too: there every decay starts.
    expect_rates(config, {{4, 0.8}});
  }
}

TEST(LearningRateTest, ConstantStaysAtTheFullRateAndIgnoresMinLr) {
  expect_rates(four_then_eight(LrDecayStyle::constant),
               {{5, 0.8}, {11, 0.8}, {12, 0.8}, {13, 0.8}, {1'000'000'000'000, 0.8}});
}

TEST(LearningRateTest, LinearFallsByEqualSteps) {
  expect_rates(four_then_eight(LrDecayStyle::linear), {{5, 0.725},
                                                       {6, 0.65},
                                                       {8, 0.5},
                                                       {10, 0.35},
                                                       {11, 0.275},
                                                       {12, 0.2},
                                                       {13, 0.2},
                                                       {1'000'000'000'000, 0.2}});
}

TEST(LearningRateTest, CosineFallsAlongHalfAWave) {
  // 0.5 + 0.3 cos(pi (step - 4) / 8); cos(pi / 4) = 1 / sqrt(2).
  expect_rates(four_then_eight(LrDecayStyle::cosine), {{6, 0.5 + 0.3 / std::sqrt(2.0)},
                                                       {8, 0.5},
                                                       {10, 0.5 - 0.3 / std::sqrt(2.0)},
                                                       {12, 0.2},
                                                       {13, 0.2},
                                                       {1'000'000'000'000, 0.2}});
}

TEST(LearningRateTest, WsdIsStableThenFallsOverItsLastSteps) {
  OptimizerConfig config = four_then_eight(LrDecayStyle::wsd);
  config.lr_wsd_decay_iters = 3;
  // Step 9 is the last with the full rate: the decay starts there, and step 10 is the first below.
  expect_rates(config, {{5, 0.8}, {8, 0.8}, {9, 0.8}, {10, 0.6}, {11, 0.4}, {12, 0.2}, {13, 0.2}});
  config.lr_wsd_decay_iters = 1;
  expect_rates(config, {{11, 0.8}, {12, 0.2}});
  // A decay over all steps after the warm-up is the linear schedule.
  config.lr_wsd_decay_iters = 8;
  for (std::int64_t step = 0; step < 15; ++step) {
    EXPECT_DOUBLE_EQ(learning_rate(config, step),
                     learning_rate(four_then_eight(LrDecayStyle::linear), step));
  }
}

TEST(LearningRateTest, WithoutWarmupTheFirstStepHasTheFullRate) {
  for (const auto style :
       {LrDecayStyle::constant, LrDecayStyle::linear, LrDecayStyle::cosine, LrDecayStyle::wsd}) {
    OptimizerConfig config = four_then_eight(style);
    config.lr_warmup_iters = 0;
    if (style == LrDecayStyle::wsd) config.lr_wsd_decay_iters = 6;
    expect_rates(config, {{0, 0.8}});
  }
  OptimizerConfig linear = four_then_eight(LrDecayStyle::linear);
  linear.lr_warmup_iters = 0;
  expect_rates(linear, {{1, 0.75}, {6, 0.5}, {11, 0.25}, {12, 0.2}});
}

// The shortest schedules that the configuration allows: one step of warm-up, one of decay.
TEST(LearningRateTest, OneStepOfEach) {
  for (const auto style : {LrDecayStyle::linear, LrDecayStyle::cosine, LrDecayStyle::wsd}) {
    const OptimizerConfig config{.lr = 0.8,
                                 .min_lr = 0.2,
                                 .lr_warmup_iters = 1,
                                 .lr_decay_iters = 2,
                                 .lr_decay_style = style,
                                 .lr_wsd_decay_iters = style == LrDecayStyle::wsd ? 1 : 0};
    expect_rates(config, {{0, 0.8}, {1, 0.8}, {2, 0.2}, {3, 0.2}});
  }
}

// Each style as one closed formula: the smaller of the rising and the falling line.
double closed(const OptimizerConfig& c, std::int64_t step) {
  const auto s = static_cast<long double>(step);
  const auto w = static_cast<long double>(c.lr_warmup_iters);
  const auto d = static_cast<long double>(c.lr_decay_iters);
  const long double top = c.lr, bottom = c.min_lr;
  if (s + 1 <= w) return static_cast<double>(top * (s + 1) / w);
  if (c.lr_decay_style == LrDecayStyle::constant) return c.lr;
  if (s >= d) return c.min_lr;
  // The share of the way from bottom to top that is left.
  long double left = (d - s) / (d - w);
  if (c.lr_decay_style == LrDecayStyle::wsd)
    left = std::min(1.0L, (d - s) / static_cast<long double>(c.lr_wsd_decay_iters));
  if (c.lr_decay_style == LrDecayStyle::cosine)
    left = std::pow(std::sin(static_cast<long double>(kPi) / 2 * left), 2.0L);
  return static_cast<double>(left * top + (1 - left) * bottom);
}

TEST(LearningRateTest, EveryStepFollowsTheClosedFormula) {
  for (const auto style :
       {LrDecayStyle::constant, LrDecayStyle::linear, LrDecayStyle::cosine, LrDecayStyle::wsd}) {
    for (const std::int64_t warmup : {0, 1, 7, 100}) {
      for (const double min_lr : {0.0, 3e-5, 6e-4}) {
        for (const std::int64_t wsd : {1, 50, 101}) {
          const OptimizerConfig config{.lr = 6e-4,
                                       .min_lr = min_lr,
                                       .lr_warmup_iters = warmup,
                                       .lr_decay_iters = 201,
                                       .lr_decay_style = style,
                                       .lr_wsd_decay_iters = style == LrDecayStyle::wsd ? wsd : 0};
          for (std::int64_t step = 0; step < 210; ++step) {
            EXPECT_NEAR(learning_rate(config, step), closed(config, step), 1e-15)
                << "style " << static_cast<int>(style) << ", warm-up " << warmup << ", step "
                << step;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace megascale::optimizer
