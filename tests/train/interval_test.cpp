// Intervals between checkpoints: Daly's formula, steps from measured times, and ranks that change to a
// new interval after the same step.
#include "megascale/train/interval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "megascale/config/config.h"
#include "megascale/train/epoch_record.h"
#include "support/scratch_directory.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale::train {
namespace {

using ::testing::HasSubstr;

// The share of time that is lost: the stall, and half of an interval for each failure.
double lost(double interval, double stall, double mean) {
  return stall / (interval + stall) + (interval + stall) / 2 / mean;
}

TEST(BestIntervalTest, NoOtherIntervalLosesLess) {
  for (const double stall : {0.01, 0.3, 20.0}) {
    for (const double mean : {600.0, 10800.0, 86400.0}) {
      const double best = best_interval_seconds(stall, mean);
      EXPECT_NEAR(best, std::sqrt(2 * stall * mean), 0.1 * best) << "Young's first term";
      for (const double factor : {0.5, 0.8, 1.25, 2.0}) {
        EXPECT_LT(lost(best, stall, mean), lost(factor * best, stall, mean))
            << stall << " " << mean << " " << factor;
      }
    }
  }
  EXPECT_GE(best_interval_seconds(10, 1), 10) << "failures are more frequent than a stall lasts";
}

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(IntervalTest, AutoMeasuresFirstAndChangesWhenAllRanksAreFree) {
  Interval interval(CheckpointConfig::kAuto, 100, 0);
  EXPECT_EQ(interval.best_steps(86400), 0) << "nothing is measured";
  for (std::int64_t step = 101; step < 110; ++step) EXPECT_FALSE(interval.is_due(step, true));
  EXPECT_TRUE(interval.is_due(110, true));
  interval.copied(110, 0.5, 20 * kSecond);
  EXPECT_DOUBLE_EQ(interval.step_seconds(), 2);
  const std::int64_t best = interval.best_steps(86400);
  EXPECT_EQ(best, std::llround(best_interval_seconds(0.5, 86400) / 2));
  EXPECT_TRUE(interval.change(best));
  EXPECT_FALSE(interval.is_due(120, false)) << "a rank is still writing";
  EXPECT_EQ(interval.steps(), Interval::kFirst);
  EXPECT_FALSE(interval.is_due(120, true));
  EXPECT_EQ(interval.steps(), best);
  EXPECT_FALSE(interval.is_due(110 + best - 1, true));
  EXPECT_TRUE(interval.is_due(110 + best, true));
  EXPECT_FALSE(interval.change(best + 1)) << "nothing to say";
  EXPECT_FALSE(interval.change(0));
}

TEST(IntervalTest, AConfiguredNumberStays) {
  Interval interval(5, 3, 0);
  EXPECT_FALSE(interval.change(9));
  EXPECT_FALSE(interval.is_due(8, true));
  EXPECT_TRUE(interval.is_due(10, false)) << "due, although it must wait";
  EXPECT_FALSE(Interval(0, 0, 0).is_due(10, true)) << "none";
}

TEST(EpochRecordTest, TheMeanTimeIsThatBetweenAttempts) {
  const testing::ScratchDirectory scratch;
  const RunDirectory run(scratch / "run");
  std::filesystem::create_directories(run.control());
  const auto record = [&](const std::string& lines) {
    std::ofstream(run.control() / "epochs") << "record " << std::string(32, 'a') << "\n" << lines;
    return EpochRecord(run).mean_time_between_attempts();
  };
  EXPECT_FALSE(record("epoch 1 1000\n"));
  EXPECT_EQ(record("epoch 1 1000\n\nepoch 2 1500\n\nepoch 3 3000\n"), 1000);
  EXPECT_FALSE(record("epoch 1 1000\nepoch 2 1000\n")) << "no time has passed";
  EXPECT_FALSE(record("epoch 1\nepoch 2\n"));
}

// Steps of milliseconds and failures every second: a few steps are best. All ranks take the same
// checkpoints, or the run would hang.
TEST(AutoIntervalTest, ARunChoosesItsIntervals) {
  const testing::Watchdog watchdog("a run that chooses its intervals");
  testing::Laboratory laboratory;
  std::string said;
  const testing::Settings settings{"model.num_layers=2",
                                   "model.hidden_size=16",
                                   "train.micro_batch_size=1",
                                   "model.num_attention_heads=4",
                                   "parallel.world_size=4",
                                   "parallel.tensor_model_parallel_size=2",
                                   "train.train_iters=60",
                                   "checkpoint.interval=auto",
                                   "checkpoint.keep_last=0",
                                   "checkpoint.memory_interval=auto",
                                   "control.mean_time_between_failures=1"};
  const testing::Outcome outcome = laboratory.run(
      settings, {.on_message = [&](const std::string& message) { said += message + "\n"; }});
  EXPECT_THAT(said, HasSubstr("checkpoint.interval = \"auto\": every "));
  EXPECT_THAT(said, HasSubstr("checkpoint.memory_interval = \"auto\": every "));
  EXPECT_THAT(said, HasSubstr("1 s between failures, control.mean_time_between_failures)"));
  const auto saved = checkpoint::list(outcome.checkpoints).checkpoints;
  ASSERT_GE(saved.size(), 2U);
  EXPECT_EQ(saved.back().step, 10) << "the first one";
  EXPECT_EQ(saved.front().step, 60) << "the last one";
}

}  // namespace
}  // namespace megascale::train
