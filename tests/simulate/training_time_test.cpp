// Trainings with failures take what the closed form says, and their time is accounted for.
#include "megascale/simulate/training_time.h"

#include <gtest/gtest.h>

#include <cmath>

namespace megascale::testing {
namespace {

using simulate::FailingTraining;
using simulate::TrainingTime;

constexpr std::uint32_t kTrials = 200;

// From failures that are rare to several in an interval, a checkpoint and a recovery.
const std::vector<FailingTraining>& trainings() {
  static const std::vector<FailingTraining> all{
      {.step_seconds = 10,
       .checkpoint_every_steps = 100,
       .checkpoint_seconds = 30,
       .recovery_seconds = 900,
       .failures_per_second = 1e-4},
      {.step_seconds = 10, .checkpoint_every_steps = 5, .failures_per_second = 1e-2},
      {.step_seconds = 1,
       .checkpoint_every_steps = 7,
       .checkpoint_seconds = 14,
       .recovery_seconds = 3,
       .failures_per_second = 0.1},
      {.step_seconds = 2,
       .checkpoint_every_steps = 3,
       .checkpoint_seconds = 1,
       .recovery_seconds = 15,
       .failures_per_second = 0.1}};
  return all;
}

// Mean over trials, and five standard errors of it.
struct Estimate {
  double mean = 0, bound = 0;
};
template <class Value>
Estimate estimate(const std::vector<TrainingTime>& trials, Value value) {
  double sum = 0, squares = 0;
  for (const TrainingTime& time : trials) sum += value(time);
  const auto n = static_cast<double>(trials.size());
  const double mean = sum / n;
  for (const TrainingTime& time : trials) squares += std::pow(value(time) - mean, 2);
  return {mean, 5 * std::sqrt(squares / (n - 1) / n)};
}

TEST(TrainingTimeTest, TakesWhatTheClosedFormSays) {
  for (const FailingTraining& training : trainings()) {
    SCOPED_TRACE(training.failures_per_second * training.interval_seconds());
    const double rate = training.failures_per_second;
    const double turn = training.interval_seconds() + training.checkpoint_seconds;
    const double recovery = std::expm1(rate * training.recovery_seconds) / rate;
    const double interval = training.interval_seconds() / simulate::expected_share(training);
    // A training begins without a recovery and ends within an interval: that much of it is not as
    // in a training without end.
    const double seconds = 3000 * interval, edge = (interval + recovery) / seconds;
    const auto trials = simulate::simulate_training(training, seconds, 11, kTrials);
    const Estimate share =
        estimate(trials, [](const TrainingTime& time) { return time.effective_share; });
    EXPECT_NEAR(share.mean, simulate::expected_share(training), share.bound + edge);
    const Estimate failures = estimate(
        trials, [](const TrainingTime& time) { return static_cast<double>(time.failures); });
    EXPECT_NEAR(failures.mean, rate * seconds, failures.bound);
    // An interval fails e^(rate turn) - 1 times on average.
    const Estimate recovers =
        estimate(trials, [&](const TrainingTime& time) { return time.recovery_seconds / seconds; });
    EXPECT_NEAR(recovers.mean, std::expm1(rate * turn) * recovery / interval,
                recovers.bound + edge);
  }
}

TEST(TrainingTimeTest, TheTimesAddUp) {
  for (const FailingTraining& training : trainings()) {
    const double seconds = 1e5, step = training.step_seconds;
    for (const TrainingTime& time : simulate::simulate_training(training, seconds, 3, 20)) {
      const double useful = static_cast<double>(time.steps) * step;
      EXPECT_DOUBLE_EQ(time.effective_share, useful / seconds);
      const double all =
          useful + time.checkpoint_seconds + time.recovery_seconds + time.repeated_seconds;
      EXPECT_LE(all, seconds * (1 + 1e-9));
      EXPECT_GT(all, seconds * (1 - 1e-9) - step);
      // Of every failure a part of a step is repeated too.
      const double lost = static_cast<double>(time.steps_lost) * step;
      EXPECT_LE(lost, time.repeated_seconds * (1 + 1e-9));
      EXPECT_GT(lost + static_cast<double>(time.failures) * step, time.repeated_seconds);
      EXPECT_GT(time.steps_lost, 0U);
    }
  }
}

TEST(TrainingTimeTest, WithoutFailuresOnlyCheckpointsTakeTime) {
  const FailingTraining training{.step_seconds = 2,
                                 .checkpoint_every_steps = 50,
                                 .checkpoint_seconds = 25,
                                 .recovery_seconds = 900};
  EXPECT_DOUBLE_EQ(simulate::expected_share(training), 100.0 / 125);
  EXPECT_FALSE(simulate::best_checkpoint_every(training).has_value());
  EXPECT_TRUE(std::isinf(simulate::young_daly_seconds(training)));
  const TrainingTime time = simulate::simulate_training(training, 1000 * 125, 1, 1).front();
  EXPECT_DOUBLE_EQ(time.effective_share, 100.0 / 125);
  EXPECT_EQ(time.steps, 50'000U);
  EXPECT_EQ(time.failures, 0U);
  EXPECT_EQ(time.steps_lost, 0U);
  EXPECT_DOUBLE_EQ(time.checkpoint_seconds, 25'000);
  EXPECT_EQ(time.recovery_seconds, 0);
  EXPECT_EQ(time.repeated_seconds, 0);
  // What is not checkpointed yet at the end is not lost.
  EXPECT_EQ(simulate::simulate_training(training, 125 + 31, 1, 1).front().steps, 50U + 15);
}

TEST(TrainingTimeTest, ATrialIsAFunctionOfSeedAndNumber) {
  const FailingTraining& training = trainings()[0];
  const auto shares = [&](std::uint64_t seed, std::uint32_t trials) {
    std::vector<double> all;
    for (const TrainingTime& time : simulate::simulate_training(training, 1e6, seed, trials))
      all.push_back(time.effective_share);
    return all;
  };
  const std::vector<double> few = shares(5, 3), many = shares(5, 10);
  EXPECT_EQ(few, std::vector<double>(many.begin(), many.begin() + 3));
  EXPECT_NE(many[0], many[1]);
  EXPECT_NE(shares(6, 3), few);
}

TEST(TrainingTimeTest, TheBestIntervalIsTheBestOfAll) {
  for (FailingTraining training : trainings()) {
    for (const double checkpoint : {0.0, 0.5, 30.0, 500.0}) {
      SCOPED_TRACE(checkpoint);
      training.checkpoint_seconds = checkpoint;
      const auto best = simulate::best_checkpoint_every(training);
      ASSERT_TRUE(best.has_value());
      double highest = 0;
      for (std::uint64_t steps = 1; steps < 5000; ++steps) {
        training.checkpoint_every_steps = steps;
        highest = std::max(highest, simulate::expected_share(training));
      }
      training.checkpoint_every_steps = *best;
      EXPECT_DOUBLE_EQ(simulate::expected_share(training), highest);
      EXPECT_TRUE(checkpoint > 0 || *best == 1) << *best;
    }
  }
}

// Where a checkpoint is short beside the time between failures, the known estimate is near.
TEST(TrainingTimeTest, TheBestIntervalIsNearYoungs) {
  const FailingTraining training{
      .step_seconds = 0.1, .checkpoint_seconds = 1, .failures_per_second = 1e-6};
  EXPECT_NEAR(simulate::young_daly_seconds(training), std::sqrt(2e6), 1e-6);
  const double best = 0.1 * static_cast<double>(*simulate::best_checkpoint_every(training));
  EXPECT_NEAR(best / simulate::young_daly_seconds(training), 1, 0.001);
}

TEST(TrainingTimeTest, WhereNothingGetsDoneTheShareIsZero) {
  const FailingTraining training{.step_seconds = 1,
                                 .checkpoint_every_steps = 1000,
                                 .checkpoint_seconds = 1000,
                                 .recovery_seconds = 1000,
                                 .failures_per_second = 1};
  EXPECT_EQ(simulate::expected_share(training), 0);
  const TrainingTime time = simulate::simulate_training(training, 1e4, 2, 1).front();
  EXPECT_LT(time.effective_share, 1e-2);
  EXPECT_NEAR(static_cast<double>(time.failures), 1e4, 500);
}

}  // namespace
}  // namespace megascale::testing
