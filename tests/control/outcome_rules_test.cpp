// The rules about what came of steps: copies of state that differ, and losses that go wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "control/sights.h"
#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

class OutcomeRulesTest : public ::testing::Test {
 protected:
  // `digests`: of the ranks from 0 on, all of one group.
  void take(std::int64_t step, const std::vector<std::uint64_t>& digests, double loss = 2.5,
            double norm = 1.0) {
    for (std::uint32_t r = 0; r < digests.size(); ++r) {
      RankReport report = running_rank(r);
      report.groups = {77};
      report.outcomes = {
          {.step = step, .loss = loss, .gradient_norm = norm, .digests = {digests[r]}}};
      table.take(report);
    }
  }
  [[nodiscard]] JobSight sight() const {
    return {.settings = settings, .state = state, .hosts = hosts, .outcomes = &table};
  }
  // Losses of `steps` clean steps: they fall slowly and are noisy.
  void train(std::int64_t steps, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise;
    for (std::int64_t step = 0; step < steps; ++step) {
      take(step, {1}, 4 - 0.001 * static_cast<double>(step) + 0.1 * noise(random),
           std::exp(0.5 * noise(random)));
      EXPECT_FALSE(bad_loss(sight())) << "step " << step << ", seed " << seed;
    }
  }
  DriverSettings settings;
  DriverState state;
  std::map<std::string, HostSight> hosts;
  OutcomeTable table;
};

TEST_F(OutcomeRulesTest, CopiesThatAgreeAreHealthy) {
  for (std::int64_t step = 0; step < 100; ++step) take(step, {9, 9, 9});
  EXPECT_FALSE(state_digest(sight()));
  table.trim();
  EXPECT_EQ(table.steps().size(), OutcomeTable::kSteps);
}

TEST_F(OutcomeRulesTest, OfThreeCopiesTheOneThatDiffersIsNamedAtTheFirstStep) {
  take(4, {9, 9, 9});
  take(5, {9, 8, 9});
  take(6, {6, 5, 6});
  const auto verdict = state_digest(sight());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->rank, 1);
  EXPECT_EQ(verdict->bad_step, 5);
  EXPECT_EQ(verdict->action, Action::restart);
  EXPECT_THAT(verdict->what, HasSubstr("the state of rank 1 differs from its copies"));
  EXPECT_THAT(verdict->evidence, AllOf(HasSubstr("step 5"), HasSubstr("rank 1: 0000000000000008")));
}

TEST_F(OutcomeRulesTest, ARankWhoseMemoryHasChangedIsNamedWithoutACopy) {
  RankReport report = running_rank(2);
  report.outcomes = {{.step = 8}, {.step = 9, .damaged = 1}};
  table.take(report);
  EXPECT_EQ(state_digest(sight())->rank, 2);
  EXPECT_EQ(state_digest(sight())->bad_step, 9);
}

TEST_F(OutcomeRulesTest, OfTwoCopiesThePairIsNamed) {
  take(5, {9, 8});
  EXPECT_EQ(state_digest(sight())->rank, -1);
  EXPECT_THAT(state_digest(sight())->what, HasSubstr("ranks 0, 1 disagree"));
}

TEST_F(OutcomeRulesTest, WithoutAMajorityAllAreNamed) {
  take(5, {9, 8, 9, 8});
  EXPECT_THAT(state_digest(sight())->what, HasSubstr("ranks 0, 1, 2, 3 disagree"));
}

TEST_F(OutcomeRulesTest, AStepThatNotAllHaveReportedIsNotJudged) {
  take(5, {9, 9, 9});
  RankReport report = running_rank(0);
  report.groups = {77};
  report.outcomes = {{.step = 6, .digests = {1}}};
  table.take(report);
  EXPECT_FALSE(state_digest(sight()));
}

TEST_F(OutcomeRulesTest, OtherGroupsHaveOtherDigests) {
  for (std::uint32_t r = 0; r < 4; ++r) {
    RankReport report = running_rank(r);
    report.groups = {r % 2 == 0 ? 10U : 20U, 30};  // halves of the model, and what all share
    report.outcomes = {{.step = 3, .digests = {100 + r % 2, r == 3 ? 1U : 2U}}};
    table.take(report);
  }
  const auto verdict = state_digest(sight());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->rank, 3);
}

TEST_F(OutcomeRulesTest, NoCleanStepIsTakenForAJump) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    table.clear();
    train(1000, seed);
  }
}

TEST_F(OutcomeRulesTest, JumpsAreFoundAfterTheWindowAndNotBefore) {
  train(20, 1);
  take(20, {1}, 12);
  EXPECT_FALSE(bad_loss(sight()));
  table.clear();
  train(40, 1);
  take(40, {1}, 12);
  const auto verdict = bad_loss(sight());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->bad_step, 40);
  EXPECT_THAT(verdict->what, HasSubstr("step 41 went wrong: the loss jumps to 12.0000"));
  state.accepted_step = 40;  // its replay had the same result
  EXPECT_FALSE(bad_loss(sight()));
  state.accepted_step = -1;
  settings.loss_multiple = 0;
  EXPECT_FALSE(bad_loss(sight()));
}

TEST_F(OutcomeRulesTest, AJumpOfTheNormIsFound) {
  train(40, 2);
  take(40, {1}, 4, 1000);
  EXPECT_THAT(bad_loss(sight())->what, HasSubstr("the gradient norm jumps to 1000.0000"));
}

TEST_F(OutcomeRulesTest, WhatIsNotFiniteIsFoundAtOnce) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    table.clear();
    take(0, {1});
    take(1, {1}, bad);
    EXPECT_EQ(bad_loss(sight())->bad_step, 1);
    table.clear();
    take(0, {1}, 2, bad);
    EXPECT_THAT(bad_loss(sight())->what, HasSubstr("are not both finite"));
  }
}

}  // namespace
}  // namespace megascale::control
