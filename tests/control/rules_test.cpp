// Each rule by itself: what it finds, whom it names, and when it is silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/sights.h"
#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::HasSubstr;

class RulesTest : public ::testing::Test {
 protected:
  RulesTest() {
    state.phase = Phase::training;
    state.attempt.epoch = 1;
    settings.world_size = 4;
    set({running_rank(0), running_rank(1), running_rank(2), running_rank(3)});
  }
  void set(std::vector<RankReport> ranks) {
    hosts["a"] = {.last_seen_ns = 0, .heartbeat = heartbeat_of(1, 1, std::move(ranks))};
  }
  RankReport& rank(std::size_t index) { return hosts["a"].heartbeat.ranks[index]; }
  [[nodiscard]] JobSight sight(double step_seconds = 0.5) const {
    return {.settings = settings,
            .state = state,
            .hosts = hosts,
            .now_ns = now,
            .step_seconds = step_seconds};
  }
  DriverSettings settings;
  DriverState state;
  std::map<std::string, HostSight> hosts;
  std::int64_t now = 0;
};

TEST_F(RulesTest, NothingIsFoundInAHealthyJob) {
  EXPECT_FALSE(dead_process(sight()));
  EXPECT_FALSE(frozen_process(sight()));
  EXPECT_FALSE(missing_heartbeat(sight(), "a"));
  EXPECT_FALSE(crash_loop(sight()));
  EXPECT_FALSE(too_many_restarts(sight()));
}

TEST_F(RulesTest, OfSeveralDeathsTheCauseIsNamed) {
  rank(0) = ended_rank(0, 1, 0, 1);  // lost its peer and was reaped first
  rank(2) = ended_rank(2, 0, 9, 2);
  rank(3) = ended_rank(3, 1, 0, 3);
  const auto verdict = dead_process(sight());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->rank, 2);
  EXPECT_EQ(verdict->what, "rank 2 was killed by signal 9 (Killed)");
  EXPECT_EQ(verdict->action, Action::restart);
  EXPECT_EQ(verdict->step, 37);
}

TEST_F(RulesTest, AMessageThatWasChangedNamesItsLinkAndNoRank) {
  EXPECT_FALSE(wire_damage(sight()));
  rank(0) = ended_rank(0, 1, 0, 1);
  hosts["a"].heartbeat.findings = {
      {.rank = 0,
       .keyword = "wire",
       .line = "megascale: a message of rank 1 to rank 0 was changed on the way: its digest ..."}};
  const auto verdict = wire_damage(sight());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->rank, -1);
  EXPECT_EQ(verdict->what, "a message of rank 1 to rank 0 was changed on the way");
  EXPECT_EQ(verdict->action, Action::restart);
  hosts["a"].heartbeat.epoch = 0;
  EXPECT_FALSE(wire_damage(sight())) << "of an earlier attempt";
}

TEST_F(RulesTest, ATaskWithTwoResultsNamesItsRankAndHost) {
  EXPECT_FALSE(two_results(sight()));
  hosts["a"].heartbeat.findings = {
      {.rank = 0,
       .keyword = "two results",
       .line = "megascale: the task has two results: ...; while running task 7 (mb0/x) on rank 3; "
               "while running task 9 (mb0/y) on rank 0; while running step 38"}};
  const auto verdict = two_results(sight());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->rank, 3);
  EXPECT_EQ(verdict->host, "a");
  EXPECT_EQ(verdict->step, 37);
  EXPECT_TRUE(verdict->blames_host);
  hosts["a"].heartbeat.findings[0].line = "megascale: the task has two results";
  ASSERT_TRUE(two_results(sight()));
  EXPECT_EQ(two_results(sight())->rank, -1);
  EXPECT_FALSE(two_results(sight())->blames_host);
}

TEST_F(RulesTest, OfEqualDeathsTheFirstIsNamed) {
  rank(1) = ended_rank(1, 1, 0, 2);
  rank(3) = ended_rank(3, 1, 0, 1);
  EXPECT_EQ(dead_process(sight())->rank, 3);
}

TEST_F(RulesTest, AKillForLackOfMemoryIsCalledThat) {
  rank(1) = ended_rank(1, 0, 9, 1);
  rank(1).out_of_memory = true;
  EXPECT_EQ(dead_process(sight())->what, "rank 1 was killed by the system for lack of memory");
}

TEST_F(RulesTest, SuccessIsNoDeath) {
  rank(1) = ended_rank(1, 0, 0, 1);
  EXPECT_FALSE(dead_process(sight()));
}

TEST_F(RulesTest, BadConfigurationIsNotRetried) {
  rank(1) = ended_rank(1, 2, 0, 2);
  rank(3) = ended_rank(3, 1, 0, 1);
  const auto verdict = dead_process(sight());
  EXPECT_EQ(verdict->rank, 1);
  EXPECT_EQ(verdict->action, Action::give_up);
  EXPECT_EQ(verdict->exit_code, 2);
}

TEST_F(RulesTest, RanksOfAnotherEpochDoNotCount) {
  rank(2) = ended_rank(2, 0, 9, 1);
  state.attempt.epoch = 2;
  EXPECT_FALSE(dead_process(sight()));
}

TEST_F(RulesTest, AStoppedProcessIsNamedAndNotItsWaiters) {
  for (std::size_t i = 0; i < 4; ++i) rank(i).idle_seconds = 6 + static_cast<double>(i);
  rank(1).state = RankState::stopped;
  const auto verdict = frozen_process(sight());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->rank, 1);
  EXPECT_THAT(verdict->what, HasSubstr("rank 1 was stopped by a signal"));
  EXPECT_FALSE(verdict->is_guess);
  rank(1).idle_seconds = 4.9;  // a short stop is no fault
  EXPECT_FALSE(frozen_process(sight()));
}

TEST_F(RulesTest, TheLimitFollowsTheStepTimeOfTheJob) {
  for (std::size_t i = 0; i < 4; ++i) rank(i).idle_seconds = 7.4;
  EXPECT_FALSE(frozen_process(sight(0.5))) << "1.5 x 5 s are not over";
  for (std::size_t i = 0; i < 4; ++i) rank(i).idle_seconds = 7.6;
  EXPECT_TRUE(frozen_process(sight(0.5))) << "10 x 0.5 s and 1.5 x 5 s are over";
  EXPECT_TRUE(frozen_process(sight(0.5))->is_guess);
  EXPECT_FALSE(frozen_process(sight(2))) << "10 x 2 s are not over";
  rank(3).idle_seconds = 0.1;
  EXPECT_FALSE(frozen_process(sight(0.5))) << "one rank moves";
}

TEST_F(RulesTest, BetweenStepsAndAtTheStartMoreTimeIsGiven) {
  for (std::size_t i = 0; i < 4; ++i) {
    rank(i).idle_seconds = 100;
    rank(i).in_step = false;  // they evaluate or save
  }
  EXPECT_FALSE(frozen_process(sight()));
  for (std::size_t i = 0; i < 4; ++i) rank(i).idle_seconds = 601;
  EXPECT_TRUE(frozen_process(sight()));
  for (std::size_t i = 0; i < 4; ++i) rank(i).idle_seconds = 100;
  state.phase = Phase::starting;
  EXPECT_FALSE(frozen_process(sight()));
}

TEST_F(RulesTest, SilenceIsDetectedBeforeItIsActedOn) {
  now = 4 * kSecond;
  EXPECT_FALSE(missing_heartbeat(sight(), "a"));
  now = 6 * kSecond;
  EXPECT_EQ(missing_heartbeat(sight(), "a")->action, Action::wait);
  now = 29 * kSecond;
  EXPECT_EQ(missing_heartbeat(sight(), "a")->action, Action::wait);
  now = 30 * kSecond;
  EXPECT_EQ(missing_heartbeat(sight(), "a")->action, Action::restart);
}

TEST_F(RulesTest, AttemptsWithoutProgressEndTheJob) {
  state.fruitless = 2;
  EXPECT_FALSE(crash_loop(sight()));
  state.fruitless = 3;
  EXPECT_THAT(*crash_loop(sight()), HasSubstr("3 attempts in a row"));
}

TEST_F(RulesTest, OnlyTheRestartsOfTheLastHourCount) {
  settings.restarts_per_hour = 2;
  now = 3601 * kSecond;
  state.restarts_ns = {0, 10 * kSecond};
  EXPECT_FALSE(too_many_restarts(sight()));
  state.restarts_ns.push_back(20 * kSecond);
  EXPECT_THAT(*too_many_restarts(sight()), HasSubstr("restarted 2 times within an hour"));
}

}  // namespace
}  // namespace megascale::control
