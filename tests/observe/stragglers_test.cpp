// Goal: slow ranks are named with the right cause, and healthy ones never.
// Method: times of 16 ranks with seeded jitter, over 20 steps; one or several are slowed down.
#include "megascale/observe/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "megascale/observe/spread.h"

namespace megascale::observe {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kRanks = 16;
constexpr std::size_t kSteps = 20;

class StragglersTest : public ::testing::TestWithParam<unsigned> {
 protected:
  StragglersTest() {
    std::mt19937 random(GetParam());
    std::normal_distribution<double> jitter(0, 0.01);
    std::uniform_real_distribution<double> place(0, 1);
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      RankSteps steps{.rank = rank, .work = rank < kRanks / 2 ? "first stage" : "last stage"};
      for (std::size_t s = 0; s < kSteps; ++s) {
        RankTimes step;
        step.step = 1.2;
        step.compute = (rank < kRanks / 2 ? 0.8 : 1.0) * std::exp(jitter(random));
        if (place(random) < 0.05) step.compute *= 1.5;  // the system took the core
        step.data_wait = 1e-4 * place(random);
        step.late_transfers = 1e-3 * place(random);
        steps.steps.push_back(step);
      }
      ranks.push_back(std::move(steps));
    }
    for (std::uint32_t a = 0; a < kRanks; ++a) {
      GroupSteps ring{.kind = "ring", .members = {a, (a + 1) % kRanks}, .moving_seconds = {}};
      for (std::size_t s = 0; s < kSteps; ++s)
        ring.moving_seconds.push_back(0.1 * std::exp(jitter(random)));
      groups.push_back(std::move(ring));
    }
  }
  template <class Change>
  void change(std::uint32_t rank, Change change) {
    for (RankTimes& step : ranks[rank].steps) change(step);
  }
  std::vector<RankSteps> ranks;
  std::vector<GroupSteps> groups;
};

TEST_P(StragglersTest, NobodyIsNamedInAHealthyJob) {
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
}

TEST_P(StragglersTest, SeveralRanksThatComputeSlowlyAreNamedAndNoOthers) {
  for (const std::uint32_t rank : {2U, 3U, 5U})
    change(rank, [](RankTimes& step) { step.compute *= 1.10; });
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 3U);
  std::vector<std::uint32_t> named;
  for (const Straggler& straggler : found) {
    EXPECT_EQ(straggler.cause, SlowCause::compute);
    EXPECT_NEAR(straggler.seconds / straggler.usual, 1.10, 0.02);
    named.push_back(straggler.ranks.at(0));
  }
  EXPECT_THAT(named, ::testing::UnorderedElementsAre(2, 3, 5));
}

TEST_P(StragglersTest, TheWireOfASlowRankIsNamedOnlyIfItLosesMoreThanTwiceAsMuch) {
  change(9, [](RankTimes& step) { step.compute *= 1.05; });  // 50 ms
  auto slower = groups;
  for (double& seconds : groups[9].moving_seconds) seconds += 0.08;
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, SlowCause::compute);
  for (double& seconds : slower[9].moving_seconds) seconds += 0.15;
  EXPECT_EQ(find_stragglers(ranks, slower).size(), 2U);
}

TEST_P(StragglersTest, AStageWithMoreWorkIsNotSlow) {
  // The last stage computes a quarter longer than the first, and its ranks are peers of each other.
  EXPECT_TRUE(find_stragglers(ranks, {}).empty());
}

TEST_P(StragglersTest, ASlowInputIsToldFromSlowComputation) {
  change(9, [](RankTimes& step) { step.data_wait += 0.1; });
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, SlowCause::input);
  EXPECT_EQ(found[0].ranks, std::vector<std::uint32_t>{9});
  EXPECT_THAT(to_string(found[0]), HasSubstr("rank 9 waits"));
}

TEST_P(StragglersTest, ALateLauncherIsNamed) {
  change(4, [](RankTimes& step) { step.late_transfers += 0.08; });
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, SlowCause::launch);
  EXPECT_EQ(found[0].ranks, std::vector<std::uint32_t>{4});
}

TEST_P(StragglersTest, OneSlowPairIsNamedAsAPairAndTwoByTheirCommonRank) {
  for (double& seconds : groups[6].moving_seconds) seconds *= 1.3;
  auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, SlowCause::wire);
  EXPECT_EQ(found[0].ranks, (std::vector<std::uint32_t>{6, 7}));
  for (double& seconds : groups[7].moving_seconds) seconds *= 1.3;
  found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ranks, std::vector<std::uint32_t>{7});
}

// Groups that are each alone of their kind, such as the data groups of four stages.
std::vector<GroupSteps> alone(const std::vector<GroupSteps>& groups) {
  std::vector<GroupSteps> result;
  for (std::uint32_t g = 0; g < 4; ++g) {
    GroupSteps group = groups[g];
    group.kind = "data of stage " + std::to_string(g);
    group.like = "data of 4";
    group.bytes = g == 3 ? 1.5e6 : 1e6;
    group.members = {4 * g, 4 * g + 1, 4 * g + 2, 4 * g + 3};
    if (g == 3)
      for (double& seconds : group.moving_seconds) seconds *= 1.5;
    result.push_back(std::move(group));
  }
  return result;
}

TEST_P(StragglersTest, AWireAloneIsComparedWithLikeGroupsByItsTimePerByte) {
  auto stages = alone(groups);
  EXPECT_TRUE(find_stragglers(ranks, stages).empty());  // the last one moves more bytes
  for (double& seconds : stages[1].moving_seconds) seconds *= 1.4;
  auto found = find_stragglers(ranks, stages);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, SlowCause::wire);
  EXPECT_EQ(found[0].ranks, stages[1].members);
  stages[1].bytes *= 1.4;  // it has as many more bytes
  EXPECT_TRUE(find_stragglers(ranks, stages).empty());
  stages[1].bytes *= 0.1;  // too few to be compared
  EXPECT_TRUE(find_stragglers(ranks, stages).empty());
}

TEST_P(StragglersTest, OfTwoLikeWiresNeitherIsTheUsualOne) {
  auto stages = alone(groups);
  stages.resize(2);
  for (double& seconds : stages[1].moving_seconds) seconds *= 2;
  EXPECT_TRUE(find_stragglers(ranks, stages).empty());
}

TEST_P(StragglersTest, TheOnlyWireIsComparedWithItsPast) {
  auto only = alone(groups);
  only.resize(1);
  only[0].before = only[0].moving_seconds;
  EXPECT_TRUE(find_stragglers(ranks, only).empty());
  for (double& seconds : only[0].moving_seconds) seconds *= 1.4;
  const auto found = find_stragglers(ranks, only);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, SlowCause::wire);
  EXPECT_EQ(found[0].ranks, only[0].members);
  EXPECT_NEAR(found[0].seconds / found[0].usual, 1.4, 0.05);
  // Without the ranks, whose steps do not feel so little.
  for (double& seconds : only[0].moving_seconds) seconds *= 1.1 / 1.4;
  EXPECT_EQ(find_stragglers({}, only).size(), 1U);
  for (double& seconds : only[0].moving_seconds) seconds *= 1.05 / 1.1;
  EXPECT_TRUE(find_stragglers({}, only).empty());
  for (double& seconds : only[0].moving_seconds) seconds *= 1.4 / 1.05;
  only[0].before.resize(8);  // too short a past
  EXPECT_TRUE(find_stragglers(ranks, only).empty());
}

TEST_P(StragglersTest, TransfersOfTheSameRanksAreNamedTogether) {
  auto two = alone(groups);
  two.resize(2);
  two[0].members = two[1].members;
  two[0].like = "norms";
  for (double& seconds : two[0].moving_seconds) seconds *= 0.05;  // no step feels it
  for (GroupSteps& group : two) {
    group.before = group.moving_seconds;
    for (double& seconds : group.moving_seconds) seconds *= 1.25;
  }
  const auto found = find_stragglers(ranks, two);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].usual, 0.105, 0.002);
  EXPECT_NEAR(found[0].seconds / found[0].usual, 1.25, 0.05);
}

TEST_P(StragglersTest, AWireThatSlowsAfterStepsThatVaryIsFound) {
  std::mt19937 random(GetParam() + 100);
  std::uniform_real_distribution<double> busy(1, 1.3);
  auto only = alone(groups);
  only.resize(1);
  for (double& seconds : only[0].moving_seconds) seconds *= busy(random);
  only[0].before = only[0].moving_seconds;
  std::shuffle(only[0].before.begin(), only[0].before.end(), random);
  EXPECT_TRUE(find_stragglers(ranks, only).empty());
  for (double& seconds : only[0].moving_seconds) seconds *= 1.5;
  EXPECT_EQ(find_stragglers(ranks, only).size(), 1U);
}

TEST_P(StragglersTest, AMemberWithoutACoreMakesNoWireSlow) {
  auto stages = alone(groups);
  auto only = stages;
  only.resize(1);
  only[0].before = only[0].moving_seconds;
  only[0].core_waits_before.assign(kSteps, 0.01);
  for (GroupSteps* group : {&groups[6], &stages[1], &only[0]}) {
    for (double& seconds : group->moving_seconds) seconds *= 1.3;
    group->core_waits.assign(kSteps, 0.05);
  }
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  EXPECT_TRUE(find_stragglers(ranks, stages).empty());
  EXPECT_TRUE(find_stragglers(ranks, only).empty());
  for (GroupSteps* group : {&groups[6], &stages[1], &only[0]})
    for (double& seconds : group->moving_seconds) seconds += 0.05;  // and the wire is slow besides
  EXPECT_EQ(find_stragglers(ranks, groups).size(), 1U);
  EXPECT_EQ(find_stragglers(ranks, stages).size(), 1U);
  EXPECT_EQ(find_stragglers(ranks, only).size(), 1U);
}

TEST_P(StragglersTest, WiresOfRanksThatHardlyHaveCoresNameNobody) {
  auto only = alone(groups);
  only.resize(1);
  only[0].before = only[0].moving_seconds;
  for (GroupSteps* group : {&groups[6], &only[0]})
    for (double& seconds : group->moving_seconds) seconds *= 1.5;
  const auto wait = [&](double seconds) {
    for (GroupSteps& group : groups) group.core_waits.assign(kSteps, seconds);
    only[0].core_waits.assign(kSteps, seconds);
    only[0].core_waits_before = only[0].core_waits;
  };
  wait(0.05);
  EXPECT_EQ(find_stragglers(ranks, groups).size(), 1U);
  EXPECT_EQ(find_stragglers(ranks, only).size(), 1U);
  wait(1);
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  EXPECT_TRUE(find_stragglers(ranks, only).empty());
}

TEST_P(StragglersTest, WhatAPeersWaitForACoreMayExplainMakesNobodySlow) {
  groups.resize(2);
  groups[0].core_waits.assign(kSteps, 0.05);  // without it, its bytes may move in half of the time
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  std::vector<RankSteps> two(ranks.begin(), ranks.begin() + 2);
  for (RankSteps& rank : two)
    for (RankTimes& step : rank.steps) step.late_transfers = step.data_wait = 0.2;
  for (RankTimes& step : two[0].steps) step.transfer_core_wait = step.input_core_wait = 0.1;
  EXPECT_TRUE(find_stragglers(two, {}).empty());
}

TEST_P(StragglersTest, AnExcessThatNoStepFeelsIsLeftOut) {
  for (double& seconds : groups[6].moving_seconds) seconds *= 0.01 * 1.3;  // of a kind of their own
  for (double& seconds : groups[7].moving_seconds) seconds *= 0.01;
  groups[6].kind = groups[7].kind = "norms";
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
}

// Four ranks on two cores: of two data groups one took 8 to 11 % longer in all steps of a clean run.
TEST_P(StragglersTest, AWireIsNamedFromAFiftiethOfAStepOn) {
  for (double& seconds : groups[6].moving_seconds) seconds *= 1.2;  // 1.7 % of a step
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  for (double& seconds : groups[6].moving_seconds) seconds *= 1.1;  // 2.7 %
  EXPECT_EQ(find_stragglers(ranks, groups).size(), 1U);
}

TEST_P(StragglersTest, TimeThatOtherProgramsTookNamesNobody) {
  for (auto& rank : ranks)
    for (RankTimes& step : rank.steps) step.needed = step.compute;
  change(4, [](RankTimes& step) {  // a neighbour has its core for half of the time
    step.compute *= 2;
    step.late_transfers += 0.3;
    step.data_wait += 0.3;
    step.transfer_core_wait = step.input_core_wait = 0.35;
  });
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  change(4, [](RankTimes& step) { step.needed *= 1.1; });  // and it is slow besides
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, SlowCause::compute);
  EXPECT_NEAR(found[0].seconds / found[0].usual, 1.1, 0.02);
}

TEST_P(StragglersTest, ARankThatComputesSlowlyIsNamedAloneUnlessItsWireLosesMore) {
  change(7, [](RankTimes& step) { step.compute *= 1.2; });
  for (double& seconds : groups[7].moving_seconds) seconds *= 1.5;
  auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, SlowCause::compute);
  change(7, [](RankTimes& step) { step.core_wait = 5; });  // that may be why
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  change(7, [](RankTimes& step) { step.core_wait = 0; });
  for (double& seconds : groups[7].moving_seconds) seconds *= 3;
  found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].cause, SlowCause::wire);
}

TEST_P(StragglersTest, ColdCachesAfterAWaitForACoreNameNobody) {
  for (auto& rank : ranks)
    for (RankTimes& step : rank.steps) step.needed = step.compute;
  const auto slow_by = [this](double share) {
    for (const std::uint32_t rank : {4U, 5U})
      for (RankTimes& step : ranks[rank].steps) step.needed *= 1 + share;
  };
  slow_by(0.06);
  change(4, [](RankTimes& step) { step.core_wait = step.compute; });
  auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ranks, std::vector<std::uint32_t>{5});
  slow_by(0.2);
  EXPECT_EQ(find_stragglers(ranks, groups).size(), 2U);
}

TEST_P(StragglersTest, CachesCannotBeColderThanCold) {
  for (auto& rank : ranks)
    for (RankTimes& step : rank.steps) step.needed = step.compute;
  // It waits for cores five times as long as it works, and its peers twice as long.
  for (auto& rank : ranks)
    for (RankTimes& step : rank.steps) step.core_wait = (rank.rank == 4 ? 5 : 2) * step.compute;
  change(4, [](RankTimes& step) { step.needed *= 1.06; });
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  change(4, [](RankTimes& step) { step.needed *= 1.12 / 1.06; });
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ranks, std::vector<std::uint32_t>{4});
}

TEST_P(StragglersTest, SixVotesOfEightStepsThatCountAreNotEnough) {
  // All ranks compute longer in the last steps, so those of rank 4 are good ones, and no votes.
  const auto is_last = [](std::size_t step) { return step >= kSteps - 2; };
  for (auto& rank : ranks)
    for (std::size_t s = 0; s < kSteps; ++s)
      rank.steps[s].needed = rank.steps[s].compute * (is_last(s) ? 1.1 : 1);
  std::vector<RankTimes>& steps = ranks[4].steps;
  for (std::size_t s = 0; s < kSteps; ++s) {
    const bool is_in_doubt = s < kSteps - 8;
    steps[s].needed = 0.8 * (is_in_doubt ? 1.04 : 1.1);
    steps[s].core_wait = is_in_doubt ? 0.8 : 0;
  }
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  for (std::size_t s = 0; s < kSteps; ++s)
    if (is_last(s)) steps[s].needed = 0.8 * 1.1 * 1.1;
  EXPECT_EQ(find_stragglers(ranks, groups).size(), 1U);
}

TEST_P(StragglersTest, AStepThatOtherProgramsMadeLongHidesNoSlowComputation) {
  for (auto& rank : ranks) {
    for (RankTimes& step : rank.steps) {
      step.needed = step.compute;
      step.core_wait = 9;
      step.transfer_core_wait = 9;
      step.step = 20;
    }
  }
  change(4, [](RankTimes& step) { step.needed *= 1.12; });
  ASSERT_EQ(find_stragglers(ranks, groups).size(), 1U);
  // If it does not wait for cores, the step is long for another reason, and hides it.
  for (auto& rank : ranks)
    for (RankTimes& step : rank.steps) step.core_wait = step.transfer_core_wait = 0;
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
}

TEST_P(StragglersTest, OnABusyMachineLatenessOfOneRankIsSeen) {
  for (auto& rank : ranks) {
    for (RankTimes& step : rank.steps) {
      step.needed = step.compute;
      step.transfer_core_wait = step.input_core_wait = 2;  // neighbours have the cores of all ranks
      step.late_transfers += 0.5;
      step.data_wait += 0.5;
    }
  }
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  change(4, [](RankTimes& step) { step.late_transfers += 0.2; });
  change(5, [](RankTimes& step) { step.data_wait += 0.2; });
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 2U);
  for (const Straggler& one : found) {
    const bool is_launch = one.cause == SlowCause::launch;
    EXPECT_TRUE(is_launch || one.cause == SlowCause::input);
    EXPECT_EQ(one.ranks, std::vector<std::uint32_t>{is_launch ? 4U : 5U});
  }
}

TEST_P(StragglersTest, StepsInWhichAThreadMayHaveWaitedForACoreDoNotCount) {
  const auto wait_in = [this](std::size_t first) {  // the two ranks, in the steps from this one on
    for (const std::uint32_t rank : {4U, 5U})
      for (std::size_t s = first; s < kSteps; ++s)
        ranks[rank].steps[s].transfer_core_wait = ranks[rank].steps[s].input_core_wait = 0.3;
  };
  change(4, [](RankTimes& step) { step.late_transfers += 0.1; });
  change(5, [](RankTimes& step) { step.data_wait += 0.1; });
  wait_in(9);
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 2U);
  for (const Straggler& one : found) {
    EXPECT_EQ(one.ranks.at(0), one.cause == SlowCause::launch ? 4U : 5U);
    EXPECT_EQ(one.votes, 9U);
    EXPECT_EQ(one.steps, 9U);
  }
  wait_in(5);  // too few are left
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
}

TEST_P(StragglersTest, IfOneRankDoesNotTellWhatItNeedsWallTimesAreCompared) {
  for (auto& rank : ranks)
    for (RankTimes& step : rank.steps) step.needed = 1e-3;
  change(2, [](RankTimes& step) { step.needed = 0; });
  change(4, [](RankTimes& step) { step.compute *= 1.1; });
  const auto found = find_stragglers(ranks, groups);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ranks, std::vector<std::uint32_t>{4});
}

TEST_P(StragglersTest, InStepsOfHalfAMillisecondAFewMicrosecondsNameNobody) {
  constexpr double kShorter = 0.4e-3 / 1.2;
  for (auto& rank : ranks) {
    for (RankTimes& step : rank.steps) {
      step.step *= kShorter;
      step.compute *= kShorter;
      step.data_wait = step.late_transfers = 0;
    }
  }
  for (auto& group : groups)
    for (double& seconds : group.moving_seconds) seconds *= kShorter;
  change(4, [](RankTimes& step) { step.compute += 50e-6; });  // 19 %
  change(5, [](RankTimes& step) { step.late_transfers += 50e-6; });
  change(6, [](RankTimes& step) { step.data_wait += 50e-6; });
  EXPECT_TRUE(find_stragglers(ranks, groups).empty());
  change(4, [](RankTimes& step) { step.compute += 100e-6; });
  EXPECT_EQ(find_stragglers(ranks, groups).size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StragglersTest, ::testing::Range(0U, 20U));

TEST(StragglersOfTwoTest, RanksWhoseStepsVaryByATwentiethAreHealthy) {
  std::mt19937 random(7);
  std::normal_distribution<double> jitter(0, 0.05);
  for (int run = 0; run < 50; ++run) {  // 1,000 steps
    std::vector<RankSteps> two(2);
    for (RankSteps& rank : two) {
      rank.steps.resize(kSteps);
      for (RankTimes& step : rank.steps) step.compute = std::exp(jitter(random));
    }
    EXPECT_TRUE(find_stragglers(two, {}).empty());
  }
}

TEST(StragglersOfFewStepsTest, NobodyIsNamed) {
  std::vector<RankSteps> ranks(2);
  for (auto& rank : ranks) rank.steps.resize(3);
  for (auto& step : ranks[1].steps) step.compute = 1;
  EXPECT_TRUE(find_stragglers(ranks, {}).empty());
  EXPECT_EQ(find_stragglers(ranks, {}, {.least_steps = 1}).size(), 1U);
  EXPECT_TRUE(find_stragglers({}, {}).empty());
}

TEST(SpreadTest, HalfOfTheValuesMayStandOut) {
  const std::vector<double> values{1, 1, 5, 5};
  const Spread spread = spread_of(values, 0.1);
  EXPECT_DOUBLE_EQ(spread.usual, 1);
  EXPECT_DOUBLE_EQ(spread.limit, 1.1);
}

TEST(SpreadTest, ValuesThatAllDifferHaveAHighLimit) {
  const std::vector<double> values{1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(spread_of(values, 0.1).limit, 3 + 5 * 1.4826);
}

}  // namespace
}  // namespace megascale::observe
