// Goal: a save beside steps ends in 85 % of an interval, whatever delays it and however steps change.
#include "megascale/train/save_rate.h"

#include <gtest/gtest.h>

#include <vector>

namespace megascale::train {
namespace {

// The step after which a save of 170 bytes ends, if steps take `step_seconds` and the disk moves nothing
// in the first `delayed` of them. The first rate is by steps of 1 s.
double end_of_save(const std::vector<double>& step_seconds, std::size_t delayed = 0) {
  double left = 170, rate = save_rate({.nbytes_left = 170, .interval = 10, .step_seconds = 1});
  double elapsed = 0;
  for (std::size_t step = 0; step < step_seconds.size(); ++step) {
    const double moved = step < delayed ? 0 : rate * step_seconds[step];
    if (moved >= left) return static_cast<double>(step) + left / moved;
    left -= moved;
    elapsed += step_seconds[step];
    const auto steps = static_cast<std::int64_t>(step) + 1;
    rate = save_rate({.nbytes_left = static_cast<std::uint64_t>(left),
                      .interval = 10,
                      .steps = steps,
                      .step_seconds = elapsed / static_cast<double>(steps)});
  }
  return static_cast<double>(step_seconds.size());
}

TEST(SaveRateTest, ASaveIsSpreadOver85PercentOfAnInterval) {
  EXPECT_EQ(save_rate({.nbytes_left = 170, .interval = 10, .step_seconds = 1}), 20);
  EXPECT_NEAR(end_of_save(std::vector<double>(10, 1.0)), 8.5, 0.1);
}

// By the first rate a save would end after 12 of the faster steps.
TEST(SaveRateTest, ItFollowsTheStepsThatItRunsBeside) {
  EXPECT_NEAR(end_of_save(std::vector<double>(10, 0.7)), 8.5, 0.1);
  EXPECT_NEAR(end_of_save(std::vector<double>(10, 1.5)), 8.5, 0.1);
  EXPECT_LT(end_of_save({1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5}), 10);
}

TEST(SaveRateTest, ADelayedSaveCatchesUp) {
  EXPECT_NEAR(save_rate({.nbytes_left = 170, .interval = 10, .steps = 3, .step_seconds = 1}),
              170 / 5.5, 1e-9);
  EXPECT_NEAR(end_of_save(std::vector<double>(20, 1.0), 3), 8.5, 0.1);
}

TEST(SaveRateTest, WhatIsLeftInTheEndIsWrittenInHalfAStep) {
  EXPECT_EQ(save_rate({.nbytes_left = 10, .interval = 10, .steps = 9, .step_seconds = 2}), 10);
  EXPECT_EQ(save_rate({.nbytes_left = 10, .interval = 1, .steps = 1, .step_seconds = 2}), 10);
}

TEST(SaveRateTest, WithoutATimeOfAStepThereIsNoLimit) {
  EXPECT_EQ(save_rate({.nbytes_left = 10, .interval = 10}), 0);
}

}  // namespace
}  // namespace megascale::train
