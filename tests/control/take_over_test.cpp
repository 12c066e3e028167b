// A driver in the place of one whose host is lost, with a record that is whole, behind or missing. Hosts
// that exist only here send heartbeats and carry out orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/fake_hosts.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TakeOverTest : public HostsTest {
 protected:
  // Another driver takes over. It remembers `before`, and the log has the first `events` events.
  void take_over(std::optional<DriverState> before, std::size_t events, std::int64_t session = 1) {
    log.resize(events);
    std::optional<DriverState> stored;
    if (before) stored = parse_driver_state(to_text(*before));
    driver.emplace("j", session, settings, stored,
                   DriverTenure{.term = 2, .clock_ns = 7, .takes_over = true});
    take(driver->begin(now));
  }
  void take_over() { take_over(driver->state(), log.size()); }
};

TEST_F(TakeOverTest, TheRanksOfAWholeRecordGoOn) {
  reach_step_37();
  beat(c);
  take_over();
  EXPECT_EQ(driver->state().term, 2);
  EXPECT_EQ(driver->state().clock_ns, 7);
  pass(40, {&a, &b, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 1);
  EXPECT_EQ(driver->state().phase, Phase::training);
  EXPECT_EQ(a.reply.term, 2);
  EXPECT_THAT(incidents, IsEmpty());
  // The next failure is recovered from as before, with orders that the executors take.
  b.ranks[1] = ended_rank(3, 0, 9, 1);
  beat(b);
  settle({&a, &b});
  resume({&a, &b});
  EXPECT_THAT(a.carried_out, ElementsAre("start 1", "stop 1", "start 2"));
  expect_sound();
}

TEST_F(TakeOverTest, AMemberThatWasLostWithTheDriverIsReplacedAfterTheLease) {
  reach_step_37();
  beat(c);
  take_over();
  pass(34, {&a, &c});
  settle({&a, &c});
  resume({&a, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 2);
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  expect_sound();
}

// The record ends before the second attempt.
TEST_F(TakeOverTest, AnAttemptThatTheRecordDoesNotKnowIsTakenUpIfAllItsRanksAreThere) {
  reach_step_37();
  const DriverState old = driver->state();
  const std::size_t events = log.size();
  a.ranks[0] = ended_rank(0, 0, 9, 1);
  settle({&a, &b});
  resume({&a, &b});
  for (FakeHost* host : {&a, &b}) host->train(0, 50);
  incidents.clear();
  take_over(old, events);
  beat(b);
  EXPECT_EQ(b.reply.refusal, Refusal::none);
  EXPECT_EQ(driver->state().attempt.epoch, 1) << "a was not heard";
  beat(c);
  EXPECT_THAT(c.carried_out, IsEmpty());
  settle({&a, &b, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 2);
  EXPECT_EQ(driver->state().phase, Phase::training);
  EXPECT_EQ(driver->state().attempt.steps_done, 50);
  EXPECT_THAT(members(), ElementsAre("a", "b"));
  EXPECT_THAT(a.carried_out, ElementsAre("start 1", "stop 1", "start 2")) << "its ranks go on";
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).rule, "lost_record");
  EXPECT_EQ(incidents.at(1).outcome, "all ranks were found");
  expect_sound();
  // The executors have carried out orders that the record does not know; later ones still count.
  b.ranks[1] = ended_rank(3, 0, 9, 1);
  beat(b);
  settle({&a, &b});
  EXPECT_EQ(a.carried_out.back(), "start 3");
}

TEST_F(TakeOverTest, AnAttemptThatIsNotWholeIsStartedAgainUnderAHigherEpoch) {
  reach_step_37();
  const DriverState old = driver->state();
  const std::size_t events = log.size();
  a.ranks[0] = ended_rank(0, 0, 9, 1);
  settle({&a, &b});
  resume({&a, &b});
  incidents.clear();
  take_over(old, events);  // and b never comes back
  pass(29, {&a, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 1);
  pass(5, {&a, &c});
  settle({&a, &c});
  resume({&a, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 3);
  EXPECT_THAT(a.carried_out, ElementsAre("start 1", "stop 1", "start 2", "stop 2", "start 3"));
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_THAT(incidents.at(1).evidence, HasSubstr("attempt 2 runs on a"));
  expect_sound();
  beat(b);
  EXPECT_EQ(b.reply.refusal, Refusal::restart) << "its ranks belong to attempt 2";
}

TEST_F(TakeOverTest, WithoutARecordTheHostsTellEverything) {
  reach_step_37();
  take_over(std::nullopt, 0);
  settle({&c});
  EXPECT_THAT(c.carried_out, IsEmpty()) << "hosts with ranks are heard first";
  settle({&a, &b, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 1);
  EXPECT_EQ(driver->state().phase, Phase::training);
  EXPECT_THAT(members(), ElementsAre("a", "b"));
  expect_sound();
  for (FakeHost* host : {&a, &b}) host->end_ranks(0);
  settle({&a, &b, &c});
  EXPECT_TRUE(a.released && b.released && c.released);
}

TEST_F(TakeOverTest, WithoutRecordAndRanksTheJobBeginsAfterTheLease) {
  take_over(std::nullopt, 0);
  pass(29, {&a, &b});
  EXPECT_THAT(a.carried_out, IsEmpty());
  pass(2, {&a, &b});
  EXPECT_THAT(a.carried_out, ElementsAre("start 1"));
  expect_sound();
}

TEST_F(TakeOverTest, ADriverEndsWhenAnExecutorHasHeardOfANewerOne) {
  reach_step_37();
  take_over();
  beat(a);
  EXPECT_FALSE(driver->replaced());
  Heartbeat heartbeat = a.heartbeat();
  heartbeat.term = 3;
  const Reply reply = take(driver->heartbeat(heartbeat, now));
  EXPECT_EQ(reply.refusal, Refusal::ignore);
  EXPECT_EQ(reply.term, 2);
  ASSERT_TRUE(driver->replaced());
  EXPECT_THAT(*driver->replaced(), HasSubstr("(term 2) was replaced by another one (term 3)"));
}

TEST_F(TakeOverTest, TermAndClockOutliveTheDriver) {
  take_over(std::nullopt, 0);
  const DriverState again = parse_driver_state(to_text(driver->state()));
  EXPECT_EQ(again.term, 2);
  EXPECT_EQ(again.clock_ns, 7);
  const Reply reply{.term = 5, .orders = {}};
  EXPECT_EQ(parse_reply(to_text(reply)).term, 5);
  Heartbeat heartbeat = a.heartbeat();
  heartbeat.term = 6;
  EXPECT_EQ(parse_heartbeat(to_text(heartbeat)).term, 6);
}

}  // namespace
}  // namespace megascale::control
