// The driver's decisions, without processes and without time: a host that exists only here sends
// heartbeats and carries out orders.
#include "megascale/control/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/sights.h"
#include "megascale/control/message_text.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A driver and its only host.
class DriverTest : public ::testing::Test {
 protected:
  DriverTest() {
    settings.world_size = 4;
    settings.arguments = {"megascale", "train"};
    start_driver(1);
  }
  void start_driver(std::int64_t session) {
    std::optional<DriverState> before;
    if (driver) before = parse_driver_state(to_text(driver->state()));
    driver.emplace("j", session, settings, before);
    take(driver->begin(now));
  }
  void take(Driver::Step step) {
    for (LogEntry& entry : step.change.entries) log.push_back(std::move(entry));
    for (const Incident& incident : step.change.incidents) incidents[incident.number] = incident;
    for (std::string& message : step.messages) messages.push_back(std::move(message));
    reply = std::move(step.reply);
  }
  // Sends a heartbeat and, unless the reply is lost, carries out the orders. If `fragile`, the
  // driver dies after every event and comes back with its stored state.
  void beat(bool reply_is_lost = false) {
    Heartbeat heartbeat = heartbeat_of(++sequence, gate.epoch(), ranks);
    heartbeat.acknowledged = gate.acknowledged();
    heartbeat.stop_requested = stop_requested;
    heartbeat.checkpoints = checkpoints;
    take(driver->heartbeat(heartbeat, now));
    const Reply answer = reply;
    if (fragile) start_driver(1);
    if (reply_is_lost) return;
    for (const Order& order : answer.orders) carry_out(order);
  }
  void carry_out(const Order& order) {
    if (!gate.admits(order)) return;
    gate.done(order);
    carried_out.push_back(std::string(to_string(order.kind)) + " " + std::to_string(order.epoch));
    if (order.kind == OrderKind::release) released = order;
    if (order.kind == OrderKind::start) {
      ranks = {running_rank(0), running_rank(1), running_rank(2), running_rank(3)};
      for (RankReport& rank : ranks) rank.resumed_step = rank.steps_done = -1;
    }
    if (order.kind != OrderKind::stop) return;
    for (RankReport& rank : ranks) {
      if (rank.state == RankState::ended) continue;
      rank.state = RankState::ended;
      rank.signal = 15;
      rank.end_number = 4;
    }
  }
  void pass(double seconds) {
    now += static_cast<std::int64_t>(seconds * 1e9);
    take(driver->tick(now));
    if (fragile) start_driver(1);
  }
  // All ranks have loaded the state of `resumed` and done steps up to `done`.
  void train(std::int64_t resumed, std::int64_t done) {
    for (RankReport& rank : ranks) {
      rank.resumed_step = resumed;
      rank.steps_done = done;
    }
  }
  void kill_rank(std::uint32_t rank) {
    ranks[rank].state = RankState::ended;
    ranks[rank].signal = 9;
    ranks[rank].end_number = 1;
  }
  // Starts the first attempt and trains to step 37, with a checkpoint of step 30.
  void reach_step_37() {
    beat();
    train(0, 0);
    beat();
    checkpoints = {30};
    train(0, 37);
    beat();
  }
  [[nodiscard]] std::size_t count(EntryKind kind) const {
    return static_cast<std::size_t>(std::count_if(
        log.begin(), log.end(), [&](const LogEntry& entry) { return entry.kind == kind; }));
  }

  DriverSettings settings;
  std::optional<Driver> driver;
  std::int64_t now = kSecond, sequence = 0;
  bool fragile = false, stop_requested = false;
  OrderGate gate;
  std::vector<RankReport> ranks;
  std::vector<std::int64_t> checkpoints;
  std::vector<LogEntry> log;
  std::map<std::int64_t, Incident> incidents;
  std::vector<std::string> messages, carried_out;
  Reply reply;
  std::optional<Order> released;
};

TEST_F(DriverTest, ACleanRunHasOneAttemptAndNoIncident) {
  reach_step_37();
  EXPECT_EQ(driver->state().phase, Phase::training);
  for (RankReport& rank : ranks) rank = ended_rank(rank.rank, 0, 0, 1);
  beat();
  ASSERT_TRUE(released);
  EXPECT_EQ(released->exit_code, 0);
  EXPECT_EQ(released->text, "");
  EXPECT_TRUE(incidents.empty());
  EXPECT_THAT(carried_out, ElementsAre("start 1", "release 1"));
  EXPECT_EQ(count(EntryKind::checkpoint_committed), 1U);
}

TEST_F(DriverTest, AKilledRankIsOneIncidentAndTheJobResumes) {
  reach_step_37();
  kill_rank(2);
  beat();
  ranks[0] = ended_rank(0, 1, 0, 2);  // it has lost its peer
  beat();
  beat();
  now += 2 * kSecond;
  train(30, 30);
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1", "stop 1", "start 2"));
  ASSERT_EQ(incidents.size(), 1U);
  const Incident& incident = incidents.at(1);
  EXPECT_EQ(incident.rule, "dead_process");
  EXPECT_EQ(incident.rank, 2);
  EXPECT_EQ(incident.step, 37);
  EXPECT_THAT(incident.evidence, HasSubstr("process"));
  EXPECT_THAT(incident.action, HasSubstr("started again"));
  EXPECT_EQ(incident.outcome, "attempt 2 resumed at step 30 after 2.0 s");
  EXPECT_EQ(
      messages.back(),
      "rank 2 was killed by signal 9 (Killed) (step 37); attempt 2 resumes at step 30; 2.0 s");
  EXPECT_EQ(count(EntryKind::attempt_caught_up), 1U) << "only of attempt 1";
  train(30, 38);
  beat();
  EXPECT_EQ(count(EntryKind::attempt_caught_up), 2U);
  EXPECT_EQ(count(EntryKind::rolled_back), 0U);
}

// The driver is killed after every event, and comes back.
TEST_F(DriverTest, ADriverThatComesBackRestartsNothingTwice) {
  fragile = true;
  reach_step_37();
  kill_rank(2);
  beat();
  pass(0.1);
  beat();
  beat(/*reply_is_lost=*/true);
  pass(0.1);
  beat();
  train(30, 30);
  beat();
  for (RankReport& rank : ranks) rank = ended_rank(rank.rank, 0, 0, 1);
  beat();
  pass(0.1);
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1", "stop 1", "start 2", "release 2"));
  EXPECT_EQ(incidents.size(), 1U);
  EXPECT_EQ(count(EntryKind::attempt_started), 2U);
}

TEST_F(DriverTest, ADriverThatComesBackWaitsForTheEndsOfTheRanks) {
  reach_step_37();
  kill_rank(2);
  beat(/*reply_is_lost=*/true);
  start_driver(1);
  pass(0.1);
  EXPECT_EQ(driver->state().phase, Phase::stopping) << "it has not heard of the executor";
  Heartbeat stale = heartbeat_of(99, 1, {});
  stale.incarnation = 0;
  take(driver->heartbeat(stale, now));
  EXPECT_THAT(reply.refused, HasSubstr("replaced by a newer one")) << "it forgot the executor";
  beat();
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1", "stop 1", "start 2"));
}

TEST_F(DriverTest, OrdersOfALostReplyAreGivenAgain) {
  beat(/*reply_is_lost=*/true);
  EXPECT_TRUE(carried_out.empty());
  beat();
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1"));
}

TEST_F(DriverTest, AStaleExecutorGetsNoOrder) {
  reach_step_37();
  Heartbeat stale = heartbeat_of(99, 1, {});
  stale.incarnation = 0;
  take(driver->heartbeat(stale, now));
  EXPECT_THAT(reply.refused, HasSubstr("replaced by a newer one"));
  EXPECT_TRUE(reply.orders.empty());
  take(driver->heartbeat(stale, now));
  EXPECT_EQ(count(EntryKind::refused), 1U) << "a sender that repeats itself fills the log";
  EXPECT_EQ(driver->state().phase, Phase::training);
}

TEST_F(DriverTest, BadConfigurationEndsTheJobWithItsCode) {
  beat();
  for (RankReport& rank : ranks) rank = ended_rank(rank.rank, 2, 0, 1);
  beat();
  beat();
  ASSERT_TRUE(released);
  EXPECT_EQ(released->exit_code, 2);
  EXPECT_EQ(count(EntryKind::attempt_started), 1U);
}

TEST_F(DriverTest, ACrashLoopEndsTheJobAfterBackoffs) {
  beat();
  for (int i = 0; i < 20 && !released; ++i) {
    if (!ranks.empty()) kill_rank(1);
    beat();
    pass(1.1);
    beat();
    pass(1.1);
    beat();
  }
  ASSERT_TRUE(released);
  EXPECT_EQ(released->exit_code, kRestartsDoNotHelp);
  EXPECT_THAT(released->text, HasSubstr("3 attempts in a row"));
  EXPECT_THAT(released->text, HasSubstr("rank 1 was killed by signal 9"));
  EXPECT_EQ(count(EntryKind::attempt_started), 3U);
  EXPECT_EQ(incidents.size(), 3U);
  for (const auto& [number, incident] : incidents) EXPECT_NE(incident.outcome, "");
}

TEST_F(DriverTest, AFruitlessAttemptIsFollowedByAPause) {
  beat();
  kill_rank(1);
  beat();
  beat();  // all ranks have ended
  EXPECT_EQ(driver->state().phase, Phase::waiting);
  pass(0.9);
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1", "stop 1"));
  pass(0.2);
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1", "stop 1", "start 2"));
}

TEST_F(DriverTest, AFlapOfTheExecutorRestartsNothing) {
  reach_step_37();
  for (int i = 0; i < 40; ++i) pass(0.5);  // less than the lease
  ASSERT_EQ(incidents.size(), 1U);
  EXPECT_EQ(incidents.at(1).rule, "missing_heartbeat");
  beat();
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("came back after 20.0 s"));
  EXPECT_THAT(carried_out, ElementsAre("start 1"));
  EXPECT_EQ(driver->state().phase, Phase::training);
}

TEST_F(DriverTest, AfterTheLeaseTheRanksAreReplacedAndItIsOneIncident) {
  reach_step_37();
  for (int i = 0; i < 62; ++i) pass(0.5);
  beat();
  beat();
  train(30, 30);
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1", "stop 1", "start 2"));
  ASSERT_EQ(incidents.size(), 1U);
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("attempt 2 resumed"));
}

TEST_F(DriverTest, AStopOfTheDriverItselfIsNoSilenceOfOthers) {
  reach_step_37();
  pass(100);  // one event to the next: this process did not run
  EXPECT_TRUE(incidents.empty());
}

TEST_F(DriverTest, AFrozenRankIsNamedAndReplaced) {
  reach_step_37();
  for (RankReport& rank : ranks) rank.idle_seconds = 6;
  ranks[3].state = RankState::stopped;
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1", "stop 1"));
  EXPECT_EQ(incidents.at(1).rank, 3);
  EXPECT_EQ(incidents.at(1).rule, "frozen_process");
}

TEST_F(DriverTest, ObserveModeSaysWhatItWouldDo) {
  settings.acts = false;
  driver.reset();
  start_driver(1);
  reach_step_37();
  for (RankReport& rank : ranks) rank.idle_seconds = 6;
  ranks[3].state = RankState::stopped;
  beat();
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1"));
  EXPECT_THAT(incidents.at(1).action, HasSubstr("would be restarted"));
  ranks[3] = running_rank(3, 40);
  for (RankReport& rank : ranks) rank.idle_seconds = 0;
  beat();
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("went on"));
  kill_rank(1);
  beat();
  beat();
  EXPECT_EQ(released->exit_code, 1) << "as without a driver";
  EXPECT_EQ(incidents.size(), 2U);
}

TEST_F(DriverTest, AStopOnRequestIsNoIncident) {
  reach_step_37();
  stop_requested = true;
  beat();
  for (RankReport& rank : ranks) rank = ended_rank(rank.rank, 0, 0, 1);
  beat();
  EXPECT_EQ(released->exit_code, 0);
  EXPECT_TRUE(incidents.empty());
}

TEST_F(DriverTest, AFailureDuringAStopIsNotRetried) {
  reach_step_37();
  stop_requested = true;
  kill_rank(0);
  beat();
  beat();
  EXPECT_EQ(released->exit_code, 1);
  EXPECT_EQ(count(EntryKind::attempt_started), 1U);
}

TEST_F(DriverTest, ANewSessionBeginsANewAttempt) {
  reach_step_37();
  start_driver(2);
  EXPECT_EQ(driver->state().attempt.ended_ns, now);
  gate = {};
  sequence = 0;
  ranks.clear();
  beat();
  EXPECT_THAT(carried_out, ElementsAre("start 1", "start 2"));
  EXPECT_EQ(count(EntryKind::session_started), 2U);
}

TEST_F(DriverTest, AnOlderCheckpointThanTheNewestIsARecordedRollback) {
  reach_step_37();
  checkpoints = {20, 30};
  kill_rank(2);
  beat();
  beat();
  train(20, 20);  // that of step 30 was damaged
  beat();
  EXPECT_EQ(count(EntryKind::rolled_back), 1U);
}

TEST_F(DriverTest, TheStateSurvivesTheWayThroughText) {
  reach_step_37();
  kill_rank(2);
  beat(/*reply_is_lost=*/true);
  EXPECT_EQ(parse_driver_state(to_text(driver->state())), driver->state());
  EXPECT_TRUE(driver->state().incident);
  EXPECT_FALSE(driver->state().outstanding.empty());
  EXPECT_EQ(parse_driver_settings(to_text(settings)), settings);
}

}  // namespace
}  // namespace megascale::control
