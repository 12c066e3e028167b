// The driver's decisions about several hosts, without processes and without time: hosts that exist
// only here send heartbeats and carry out orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/fake_hosts.h"
#include "megascale/control/message_text.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(HostsTest, RanksAreDividedAndTheSecretGoesFromTheFirstHostToTheOthers) {
  beat(b);
  EXPECT_THAT(b.carried_out, IsEmpty()) << "the job needs two hosts";
  EXPECT_THAT(messages, Contains(HasSubstr("the job needs 2, usable are 1 (b)")));
  settle({&b, &a});
  ASSERT_TRUE(a.start);
  EXPECT_EQ(a.start->first_rank, 0U);
  EXPECT_EQ(a.start->ranks, 2U);
  EXPECT_EQ(a.start->world_size, 4U);
  EXPECT_EQ(a.start->listen, "10.0.0.a");
  ASSERT_TRUE(b.start);
  EXPECT_EQ(b.start->first_rank, 2U);
  EXPECT_EQ(b.start->rendezvous.store, "10.0.0.a:7");
  EXPECT_EQ(b.start->rendezvous.secret, "secret of a");
  EXPECT_THAT(to_text(driver->state()), Not(HasSubstr("secret of a"))) << "it is never stored";
  expect_sound();
}

// The second host cannot start before the store of the first one listens.
TEST_F(HostsTest, AStartWaitsForTheStoreAlsoIfTheDriverDiesMeanwhile) {
  beat(b);
  beat(a);
  ASSERT_TRUE(a.start);
  beat(b);
  EXPECT_FALSE(b.start);
  start_driver(1);
  beat(b);
  EXPECT_FALSE(b.start) << "the new driver has not heard of the store";
  beat(a);
  beat(b);
  ASSERT_TRUE(b.start);
  EXPECT_EQ(b.start->rendezvous.store, "10.0.0.a:7");
  resume({&a, &b});
  EXPECT_THAT(incidents, IsEmpty());
}

TEST_F(HostsTest, AllHostsAreReleasedSparesToo) {
  reach_step_37();
  beat(c);
  EXPECT_FALSE(driver->is_done(now));
  a.end_ranks(0);
  b.end_ranks(0);
  settle({&a, &b});
  EXPECT_TRUE(a.released && b.released);
  EXPECT_FALSE(driver->is_done(now)) << "c does not know";
  beat(c);
  beat(c);
  ASSERT_TRUE(c.released);
  EXPECT_EQ(c.released->exit_code, 0);
  EXPECT_TRUE(driver->is_done(now));
}

TEST_F(HostsTest, AReleaseIsNotWaitedForBeyondTheLease) {
  reach_step_37();
  a.end_ranks(0);
  b.end_ranks(0);
  beat(a);
  beat(b);
  beat(a);
  beat(a);
  EXPECT_FALSE(driver->is_done(now + kSecond));
  EXPECT_TRUE(driver->is_done(now + 31 * kSecond));
}

TEST_F(HostsTest, AKilledRankRestartsTheRanksOfAllHosts) {
  reach_step_37();
  b.ranks[1] = ended_rank(3, 0, 9, 1);
  beat(b);
  settle({&a, &b});
  resume({&a, &b});
  EXPECT_THAT(a.carried_out, ElementsAre("start 1", "stop 1", "start 2"));
  EXPECT_THAT(b.carried_out, ElementsAre("start 1", "stop 1", "start 2"));
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).rank, 3);
  EXPECT_EQ(incidents.at(1).host, "b");
  expect_sound();
}

// The rank on host a has lost its peer and says so before host b tells of the cause.
TEST_F(HostsTest, AnEndThatMayBeAConsequenceWaitsForTheOtherHosts) {
  reach_step_37();
  now += kSecond / 10;
  a.ranks[0] = ended_rank(0, 1, 0, 1);
  beat(a);
  beat(b);  // written before the cause, and under way since then
  EXPECT_EQ(driver->state().phase, Phase::training);
  b.ranks[0] = ended_rank(2, 0, 11, 1);
  beat(b);
  EXPECT_EQ(driver->state().phase, Phase::stopping);
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).rank, 2);
}

TEST_F(HostsTest, AnEndWithoutAnotherCauseIsJudgedOnceAllHostsWereHeard) {
  reach_step_37();
  now += kSecond / 10;
  a.ranks[0] = ended_rank(0, 1, 0, 1);
  beat(a);
  beat(b);
  beat(b);
  EXPECT_EQ(driver->state().phase, Phase::stopping);
  EXPECT_EQ(incidents.at(1).rank, 0);
}

// Its heartbeat was under way while the driver was cut off, and lists the directory as it was then.
TEST_F(HostsTest, ALateListOfCheckpointsDoesNotChangeTheirOrder) {
  reach_step_37();
  Heartbeat late = b.heartbeat();
  late.checkpoints = {10, 20};
  Heartbeat newer = a.heartbeat();
  newer.checkpoints = {20, 30};
  take(driver->heartbeat(newer, now));
  take(driver->heartbeat(late, now));
  EXPECT_THAT(driver->state().committed, ElementsAre(20, 30));
  expect_sound();
}

TEST_F(HostsTest, ANewExecutorOfAMemberMeansThatItsRanksAreGone) {
  reach_step_37();
  b.restart();
  beat(b);
  settle({&a, &b});
  resume({&a, &b});
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).rule, "new_executor");
  EXPECT_EQ(incidents.at(1).what, "the executor of host b has ended, and its ranks with it");
  EXPECT_THAT(b.carried_out, ElementsAre("start 2"));
  EXPECT_THAT(members(), ElementsAre("a", "b"));
  expect_sound();
}

TEST_F(HostsTest, AFlapShorterThanTheLeaseRestartsNothing) {
  reach_step_37();
  pass(29, {&a});
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).closed_ns, 0);
  settle({&a, &b});
  EXPECT_EQ(driver->state().phase, Phase::training);
  EXPECT_EQ(driver->state().attempt.epoch, 1);
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("its heartbeats came back"));
}

TEST_F(HostsTest, ADriverThatIsCutOffFromAllHostsGivesNoneUp) {
  reach_step_37();
  settle({&c});
  pass(1000, {});
  EXPECT_THAT(messages.back(), ::testing::HasSubstr("may be cut off"));
  pass(3, {&a, &b, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 1);
  EXPECT_EQ(driver->state().phase, Phase::training);
  EXPECT_TRUE(incidents.empty());
  pass(40, {&a, &c});  // now b alone is silent
  EXPECT_EQ(incidents.at(1).host, "b");
  EXPECT_GT(driver->state().attempt.epoch, 1);
}
TEST_F(HostsTest, ASpareTakesThePlaceOfALostHostWhichIsRefusedWhenItComesBack) {
  reach_step_37();
  beat(c);
  a.ranks[0] = ended_rank(0, 1, 0, 1);  // it has lost its peers
  pass(29, {&a, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 1) << "nothing is done before the lease is over";
  pass(5, {&a, &c});
  settle({&a, &c});
  resume({&a, &c});
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  ASSERT_TRUE(c.start);
  EXPECT_EQ(c.start->first_rank, 2U) << "a keeps its ranks";
  ASSERT_THAT(incidents, SizeIs(1)) << "one fault, one incident";
  EXPECT_EQ(incidents.at(1).rule, "missing_heartbeat");
  EXPECT_EQ(incidents.at(1).host, "b");
  EXPECT_THAT(incidents.at(1).outcome, HasSubstr("attempt 2 resumed"));

  beat(b);
  EXPECT_EQ(b.reply.refusal, Refusal::restart);
  EXPECT_THAT(b.reply.refused, HasSubstr("ranks of attempt 1, which is over"));
  EXPECT_THAT(b.reply.orders, IsEmpty());
  EXPECT_EQ(driver->state().phase, Phase::training);
  b.restart();
  settle({&b});
  EXPECT_THAT(b.carried_out, IsEmpty()) << "it is a spare now";
  EXPECT_THAT(incidents, SizeIs(1));
  expect_sound();
}

TEST_F(HostsTest, AHostThatIsLostAgainAndAgainWaitsInQuarantine) {
  reach_step_37();
  pass(32, {&a});  // lost for the first time
  settle({&a});
  b.restart();
  settle({&a, &b});
  resume({&a, &b});
  EXPECT_EQ(driver->state().attempt.epoch, 2);
  pass(32, {&a});  // for the second time
  settle({&a});
  b.restart();
  settle({&a, &b});
  EXPECT_EQ(driver->state().attempt.epoch, 2);
  EXPECT_EQ(driver->state().phase, Phase::waiting);
  pass(31, {&a, &b});
  settle({&a, &b});
  EXPECT_EQ(driver->state().attempt.epoch, 3);
  EXPECT_THAT(members(), ElementsAre("a", "b"));
}

TEST_F(HostsTest, AJobWithoutEnoughHostsEndsAfterSomeTime) {
  reach_step_37();
  pass(34, {&a});
  EXPECT_EQ(driver->state().phase, Phase::waiting);
  pass(95, {&a});
  EXPECT_EQ(driver->state().phase, Phase::waiting);
  pass(6, {&a});
  ASSERT_TRUE(a.released);
  EXPECT_EQ(a.released->exit_code, 1);
  EXPECT_THAT(a.released->text, HasSubstr("expected 2 hosts, found 1"));
}

TEST_F(HostsTest, ABlockedHostIsReplacedAndStaysBlocked) {
  reach_step_37();
  beat(c);
  take(driver->block("b", "an operator says so", now));
  settle({&a, &b, &c});
  resume({&a, &c});
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  EXPECT_THAT(b.carried_out, ElementsAre("start 1", "stop 1"));
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).evidence, "an operator says so");
  start_driver(2);  // a person has started the job again
  settle({&a, &b, &c});
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  take(driver->allow("b", now));
  EXPECT_TRUE(driver->state().blocked.empty());
  expect_sound();
}

TEST_F(HostsTest, ADriverThatComesBackGivesUpAMemberThatItNeverHears) {
  reach_step_37();
  beat(c);
  start_driver(1);
  pass(29, {&a, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 1);
  pass(4, {&a, &c});
  settle({&a, &c});
  EXPECT_EQ(driver->state().attempt.epoch, 2);
  EXPECT_THAT(members(), ElementsAre("a", "c"));
}

// The job ends before the spare has sent a heartbeat to the driver that came back.
TEST_F(HostsTest, ADriverThatComesBackReleasesASpareToo) {
  reach_step_37();
  beat(c);
  start_driver(1);
  for (FakeHost* host : {&a, &b}) host->end_ranks(0);
  settle({&a, &b});
  ASSERT_EQ(driver->state().phase, Phase::ended);
  EXPECT_FALSE(driver->is_done(now));
  settle({&c});
  EXPECT_TRUE(c.released);
  EXPECT_TRUE(driver->is_done(now));
}

TEST_F(HostsTest, ADriverThatComesBackForgetsASpareThatItNeverHears) {
  reach_step_37();
  beat(c);
  start_driver(1);
  pass(40, {&a, &b});
  EXPECT_EQ(driver->state().attempt.epoch, 1);
  EXPECT_THAT(driver->state().present, ElementsAre("a", "b"));
  for (FakeHost* host : {&a, &b}) host->end_ranks(0);
  settle({&a, &b});
  EXPECT_TRUE(driver->is_done(now));
}

TEST_F(HostsTest, ASpareThatLeavesIsForgottenAndOneThatIsSilentTooAfterTheLease) {
  reach_step_37();
  beat(c);
  Heartbeat farewell = c.heartbeat();
  farewell.leaving = true;
  take(driver->heartbeat(farewell, now));
  pass(40, {&a, &b});
  EXPECT_THAT(incidents, IsEmpty());
  c.restart();
  beat(c);
  pass(40, {&a, &b});
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).outcome, "the job goes on without it");
  EXPECT_EQ(driver->state().attempt.epoch, 1);
}

TEST_F(HostsTest, AMemberThatLeavesIsReplacedAtOnce) {
  reach_step_37();
  beat(c);
  Heartbeat farewell = b.heartbeat();
  farewell.leaving = true;
  farewell.ranks.clear();
  take(driver->heartbeat(farewell, now));
  settle({&a, &c});
  resume({&a, &c});
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).rule, "new_executor");
}

TEST_F(HostsTest, AStopReachesAllHosts) {
  reach_step_37();
  take(driver->request_stop(now));
  settle({&a, &b});
  EXPECT_THAT(a.carried_out, ElementsAre("start 1", "save 1"));
  EXPECT_THAT(b.carried_out, ElementsAre("start 1", "save 1"));
  a.end_ranks(0);
  b.end_ranks(0);
  settle({&a, &b});
  ASSERT_TRUE(a.released && b.released);
  EXPECT_EQ(a.released->exit_code, 0);
}

TEST_F(HostsTest, HeartbeatsOfAnotherJobAndOfAReplacedExecutorAreRefused) {
  reach_step_37();
  FakeHost old = b;
  b.restart();
  beat(b);
  beat(old);
  EXPECT_EQ(old.reply.refusal, Refusal::leave);
  Heartbeat foreign = a.heartbeat();
  foreign.job = "k";
  EXPECT_EQ(take(driver->heartbeat(foreign, now)).refusal, Refusal::restart);
  foreign = a.heartbeat();
  foreign.epoch = 9;
  EXPECT_EQ(take(driver->heartbeat(foreign, now)).refusal, Refusal::ignore);
}

}  // namespace
}  // namespace megascale::control
