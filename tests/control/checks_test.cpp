// The driver's decisions about self-checks of hosts.
#include "control/fake_hosts.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ChecksTest : public HostsTest {
 protected:
  ChecksTest() {
    settings.checks = true;
    settings.directory = "/home/someone";
    driver.reset();
    log.clear();
    start_driver(1);
  }
  [[nodiscard]] std::vector<std::string> texts(EntryKind kind) const {
    std::vector<std::string> found;
    for (const LogEntry& entry : log)
      if (entry.kind == kind) found.push_back(entry.text);
    return found;
  }
};

TEST_F(ChecksTest, HostsAreCheckedBeforeTheFirstStartAndAfterAFailure) {
  reach_step_37();
  EXPECT_THAT(a.carried_out, ElementsAre("check 0", "start 1"));
  b.ranks[0] = ended_rank(2, 0, 11, 1);
  settle({&a, &b});
  settle({&a, &b});
  EXPECT_THAT(a.carried_out, ElementsAre("check 0", "start 1", "stop 1", "check 1", "start 2"));
  EXPECT_THAT(b.carried_out, ElementsAre("check 0", "start 1", "stop 1", "check 1", "start 2"));
  EXPECT_THAT(texts(EntryKind::checks_ended), ElementsAre("2 hosts passed", "2 hosts passed"));
  resume({&a, &b});
  EXPECT_THAT(incidents.at(1).evidence, HasSubstr("self-checks: 2 hosts passed"));
  expect_sound();
}

TEST_F(ChecksTest, AHostThatFailsIsBlockedAndASpareThatPassedTakesItsPlace) {
  settle({&a, &b, &c});
  EXPECT_THAT(c.carried_out, IsEmpty()) << "it has come when the checks had begun";
  a.train(0, 5);
  b.train(0, 5);
  settle({&a, &b, &c});
  b.ranks[0] = ended_rank(2, 0, 11, 1);
  b.fitness.passed = false;
  b.fitness.text = "memory: too slow";
  settle({&a, &b, &c});
  settle({&a, &b, &c});
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  EXPECT_THAT(c.carried_out, ElementsAre("check 1", "start 2"));
  EXPECT_EQ(driver->state().blocked.at("b"), "self-checks: memory: too slow");
  EXPECT_THAT(messages, Contains("host b failed its self-checks: memory: too slow"));
  expect_sound();
}

TEST_F(ChecksTest, TheHostWithAnotherDigestThanMostIsBlocked) {
  settle({&a, &b, &c});
  b.fitness.digest = "22";
  a.ranks[0] = ended_rank(0, 0, 11, 1);
  settle({&a, &b, &c});
  settle({&a, &b, &c});
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  EXPECT_THAT(driver->state().blocked.at("b"), HasSubstr("those of 2 equal hosts have 11"));
}

TEST_F(ChecksTest, IfTwoHostsDifferNobodyIsBlocked) {
  b.fitness.digest = "22";
  settle({&a, &b});
  EXPECT_THAT(members(), ElementsAre("a", "b"));
  EXPECT_THAT(driver->state().blocked, IsEmpty());
  EXPECT_THAT(messages, Contains(HasSubstr("host a: its results have digest 11")));
}

TEST_F(ChecksTest, ADriverThatComesBackWaitsForTheResults) {
  beat(a);
  beat(b);
  ASSERT_EQ(driver->state().phase, Phase::checking);
  start_driver(1);
  take(driver->tick(now));
  EXPECT_EQ(driver->state().phase, Phase::checking);
  settle({&a, &b});
  EXPECT_THAT(a.carried_out, ElementsAre("check 0", "start 1"));
  EXPECT_THAT(b.carried_out, ElementsAre("check 0", "start 1"));
}

TEST_F(ChecksTest, AnExecutorThatWasStartedAgainIsCheckedAgain) {
  beat(a);
  beat(b);
  ASSERT_EQ(driver->state().phase, Phase::checking);
  b.restart();
  settle({&a, &b});
  settle({&a, &b});
  EXPECT_THAT(b.carried_out, ElementsAre("check 0", "start 1"));
  EXPECT_THAT(a.carried_out, ElementsAre("check 0", "start 1"));
}

TEST_F(ChecksTest, AStopDuringTheChecksEndsTheJob) {
  a.fitness.order = -1;  // it never tells a result
  beat(a);
  beat(b);
  take(driver->request_stop(now));
  settle({&a, &b});
  ASSERT_TRUE(a.released);
  EXPECT_EQ(a.released->exit_code, 1);
}

TEST_F(ChecksTest, TheOnlyHostOfAnEmbeddedJobEndsIt) {
  settings.hosts = 1;
  settings.directory.clear();
  driver.reset();
  start_driver(1);
  a.fitness = {.passed = false, .text = "disk: full", .kind = {}, .digest = {}};
  settle({&a});
  ASSERT_TRUE(a.released);
  EXPECT_EQ(a.released->exit_code, 1);
  EXPECT_EQ(a.released->text, "host a failed its self-checks: disk: full");
  EXPECT_THAT(driver->state().blocked, IsEmpty());
}

}  // namespace
}  // namespace megascale::control
