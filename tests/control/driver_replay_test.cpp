// A step in doubt is done again from a state before it, and the replay tells what was wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "control/sights.h"
#include "megascale/control/driver.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// A job of two ranks that hold copies of the same state. The driver dies after every event and comes
// back with its stored state.
class DriverReplayTest : public ::testing::Test {
 protected:
  DriverReplayTest() {
    settings.world_size = 2;
    driver.emplace("j", 1, settings, std::nullopt);
    (void)driver->begin(kSecond);
    beat(0);
    resume(0);
  }
  void beat(std::int64_t epoch) {
    Heartbeat heartbeat = heartbeat_of(++sequence, epoch, ranks);
    heartbeat.acknowledged = acknowledged;
    step = driver->heartbeat(heartbeat, sequence * kSecond);
    for (const Order& order : step.reply.orders) {
      acknowledged = order.number;
      if (order.kind == OrderKind::start) started = order;
      if (order.kind == OrderKind::stop) ranks = {ended_rank(0, 0, 15, 1), ended_rank(1, 0, 15, 2)};
    }
    for (const Incident& incident : step.change.incidents) incidents[incident.number] = incident;
    if (!fragile) return;
    const std::string state = to_text(driver->state());
    driver.emplace("j", 1, settings, parse_driver_state(state));
    (void)driver->begin(sequence * kSecond);
  }
  // The ranks that were ordered to start have loaded the state of `steps` steps.
  void resume(std::int64_t steps) {
    ranks = {running_rank(0, steps), running_rank(1, steps)};
    ranks[0].resumed_step = ranks[1].resumed_step = steps;
    beat(started.epoch);
  }
  void report(std::int64_t number, double loss, std::uint64_t first = 5, std::uint64_t second = 5) {
    for (std::size_t r = 0; r < 2; ++r) {
      ranks[r].steps_done = number + 1;
      ranks[r].groups = {77};
      ranks[r].outcomes = {{.step = number, .loss = loss, .digests = {r == 0 ? first : second}}};
    }
    beat(started.epoch);
  }
  // Lets the driver see that all ranks have ended, and start the next attempt at `steps`.
  void restart_at(std::int64_t steps) {
    const std::int64_t before = started.epoch;
    beat(before);
    beat(before);
    ASSERT_EQ(started.epoch, before + 1);
    resume(steps);
  }

  DriverSettings settings;
  std::optional<Driver> driver;
  std::vector<RankReport> ranks;
  std::int64_t sequence = 0, acknowledged = 0;
  bool fragile = false;
  Order started;
  Driver::Step step;
  std::map<std::int64_t, Incident> incidents;
};

TEST_F(DriverReplayTest, AnotherResultMeansHardware) {
  for (const bool dies : {false, true}) {
    fragile = dies;
    const auto number = static_cast<std::int64_t>(incidents.size()) + 1;
    report(6, 2.5);
    report(7, kNotANumber);
    EXPECT_THAT(incidents.at(number).action, HasSubstr("a state of at most 6 steps; step 8"));
    restart_at(5);
    EXPECT_EQ(started.load_at_most, 6);
    EXPECT_EQ(incidents.at(number).closed_ns, 0) << "open until the replay";
    report(6, 2.5);
    report(7, 2.25);
    report(8, 2.25);
    EXPECT_THAT(incidents.at(number).outcome,
                AllOf(HasSubstr("resumed at step 5"), HasSubstr("hardware was at fault")));
    EXPECT_FALSE(driver->state().replay);
    EXPECT_EQ(driver->state().load_limit, -1);
  }
}

TEST_F(DriverReplayTest, TheSameResultMeansDataOrCodeAndIsNotReplayedAgain) {
  report(7, kNotANumber);
  restart_at(5);
  report(7, kNotANumber);
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("data or code are the cause; the job goes on"));
  for (std::int64_t number = 8; number < 200; ++number) report(number, kNotANumber);
  EXPECT_EQ(incidents.size(), 1U);
  EXPECT_EQ(driver->state().phase, Phase::training);
  report(200, 2.5);
  report(201, kNotANumber);
  EXPECT_EQ(incidents.size(), 2U) << "the run had recovered";
}

// Steps that are much shorter than the time between heartbeats.
TEST_F(DriverReplayTest, AHeartbeatMayTellMoreStepsThanAreKept) {
  const auto report_many = [&](std::int64_t first, std::int64_t last) {
    for (RankReport& rank : ranks) {
      rank.steps_done = last + 1;
      rank.outcomes.clear();
      for (std::int64_t number = first; number <= last; ++number)
        rank.outcomes.push_back({.step = number, .loss = kNotANumber});
    }
    beat(started.epoch);
  };
  for (const bool dies : {false, true}) {
    fragile = dies;
    const std::int64_t bad = dies ? 5007 : 7;
    const std::size_t number = incidents.size() + 1;
    if (dies) report(bad - 1, 2.5);  // the run had recovered
    report_many(bad, bad + 192);
    ASSERT_THAT(incidents, SizeIs(number));
    EXPECT_EQ(incidents.rbegin()->second.step, bad);
    restart_at(bad - 2);
    report_many(bad, bad + 192);
    EXPECT_THAT(incidents.rbegin()->second.outcome, HasSubstr("it has the same result"));
    report_many(bad + 300, bad + 500);  // the steps between were too many to be told
    report_many(bad + 501, bad + 700);
    EXPECT_THAT(incidents, SizeIs(number));
    EXPECT_EQ(driver->state().phase, Phase::training);
  }
}

TEST_F(DriverReplayTest, ARunThatJumpsByItselfIsReplayedAFewTimesOnly) {
  std::int64_t number = 0;
  for (int spike = 0; spike < 20; ++spike) {
    for (int calm = 0; calm < 70; ++calm) report(number++, 2.5 + 0.01 * (calm % 3));
    report(number, 20);
    if (driver->state().phase != Phase::training) {
      restart_at(number - 5);
      for (std::int64_t again = number - 5; again < number; ++again) report(again, 2.5);
      report(number, 20);
    }
    ++number;
  }
  EXPECT_EQ(driver->state().phase, Phase::training);
  EXPECT_THAT(incidents, SizeIs(4)) << "limits of 3.75, 5, 7.5 and 12.5";
}

TEST_F(DriverReplayTest, AReplayThatOneRankReportsFirstIsNoNewFault) {
  report(7, kNotANumber);
  restart_at(5);
  ranks[1].outcomes.clear();
  ranks[0].groups = {77};
  ranks[0].outcomes = {{.step = 7, .loss = kNotANumber, .digests = {5}}};
  beat(started.epoch);
  EXPECT_EQ(incidents.size(), 1U);
  report(7, kNotANumber);
  EXPECT_EQ(incidents.size(), 1U);
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("data or code"));
}

TEST_F(DriverReplayTest, OfTwoCopiesTheReplayNamesTheOneThatWasWrong) {
  report(7, 2.5, 5, 6);
  EXPECT_EQ(incidents.at(1).rule, "state_digest");
  EXPECT_EQ(incidents.at(1).rank, -1);
  restart_at(5);
  report(7, 2.5, 5, 5);
  EXPECT_EQ(incidents.at(1).rank, 1);
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("the state of rank 1 was wrong before"));
}

TEST_F(DriverReplayTest, AFaultAtTheFirstStepBeginsAnew) {
  report(0, kNotANumber);
  EXPECT_THAT(incidents.at(1).action, HasSubstr("at most 0 steps"));
  restart_at(0);
  EXPECT_EQ(started.load_at_most, 0);
}

TEST_F(DriverReplayTest, ObserveModeTellsOnce) {
  settings.acts = false;
  driver.emplace("j", 1, settings, std::nullopt);
  (void)driver->begin(kSecond);
  acknowledged = 0;
  ranks.clear();
  beat(0);
  resume(0);
  report(7, kNotANumber);
  report(8, kNotANumber);
  EXPECT_EQ(incidents.size(), 1U);
  EXPECT_EQ(incidents.at(1).outcome, "observe mode: nothing is done");
  EXPECT_EQ(driver->state().phase, Phase::training);
}

}  // namespace
}  // namespace megascale::control
