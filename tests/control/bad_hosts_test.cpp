// A host whose hardware a replay has shown to be at fault gets no ranks any more, if a spare is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "control/fake_hosts.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class BadHostsTest : public HostsTest {
 protected:
  BadHostsTest() { settings.directory = "/d"; }
  void SetUp() override { start_driver(2); }
  // All ranks hold copies of one state. That of rank 3, on host b, has this digest after step 40.
  void report(const std::vector<FakeHost*>& hosts, std::uint64_t of_rank_3, double loss = 2.5) {
    for (FakeHost* host : hosts) {
      for (RankReport& rank : host->ranks) {
        rank.steps_done = 41;
        rank.groups = {77};
        rank.outcomes = {{.step = 40, .loss = loss, .digests = {rank.rank == 3 ? of_rank_3 : 5U}}};
      }
    }
    settle(hosts);
  }
};

TEST_F(BadHostsTest, AHostWhoseStateWasWrongIsBlockedAfterTheReplay) {
  reach_step_37();
  beat(c);
  report({&a, &b}, 6);
  settle({&a, &b});
  resume({&a, &b});
  EXPECT_THAT(members(), ElementsAre("a", "b")) << "nothing is proven yet";
  report({&a, &b}, 5);
  pass(3, {&a, &b, &c});  // the back-off
  resume({&a, &c});
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  EXPECT_THAT(driver->state().blocked.at("b"), HasSubstr("step 41 was wrong there"));
  ASSERT_THAT(incidents, SizeIs(2));
  EXPECT_EQ(incidents.at(1).rule, "state_digest");
  EXPECT_EQ(incidents.at(2).rule, "blocked_host");
  EXPECT_EQ(incidents.at(2).host, "b");
  expect_sound();
}

TEST_F(BadHostsTest, WithoutASpareTheHostKeepsItsRanksAndPeopleAreTold) {
  reach_step_37();
  report({&a, &b}, 6);
  settle({&a, &b});
  resume({&a, &b});
  report({&a, &b}, 5);
  EXPECT_EQ(driver->state().phase, Phase::training);
  EXPECT_TRUE(driver->state().blocked.empty());
  EXPECT_THAT(messages, Contains(HasSubstr("host b may have bad hardware")));
}

TEST_F(BadHostsTest, APersonMayForbidIt) {
  settings.block_bad_hosts = false;
  settings = parse_driver_settings(to_text(settings));  // as the record keeps it
  driver.reset();
  log.clear();
  start_driver(3);
  reach_step_37();
  beat(c);
  report({&a, &b}, 6);
  settle({&a, &b});
  resume({&a, &b});
  report({&a, &b}, 5);
  settle({&a, &b, &c});
  EXPECT_EQ(driver->state().phase, Phase::training);
  EXPECT_TRUE(driver->state().blocked.empty());
  EXPECT_THAT(messages, Contains(HasSubstr("it keeps its ranks, since control.block_bad_hosts")));
}

TEST_F(BadHostsTest, AHostWithTwoResultsOfATaskIsBlockedAtOnce) {
  reach_step_37();
  beat(c);
  // A rank of another host may be the first to tell it.
  a.findings = {{.rank = 0,
                 .keyword = "two results",
                 .line = "the task has two results; while running task 7 (mb0/x) on rank 3"}};
  settle({&a, &b, &c});
  pass(3, {&a, &b, &c});  // the back-off
  resume({&a, &c});
  EXPECT_THAT(members(), ElementsAre("a", "c"));
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).rule, "two_results");
  EXPECT_EQ(incidents.at(1).rank, 3);
  EXPECT_EQ(incidents.at(1).host, "b");
  EXPECT_THAT(driver->state().blocked.at("b"), HasSubstr("had two results"));
  expect_sound();
}

TEST_F(BadHostsTest, AMessageThatWasChangedBlocksNobody) {
  reach_step_37();
  beat(c);
  b.findings = {{.rank = 2,
                 .keyword = "wire",
                 .line = "a message of rank 1 to rank 2 was changed on the way"}};
  settle({&a, &b, &c});
  pass(3, {&a, &b, &c});
  resume({&a, &b});
  EXPECT_THAT(members(), ElementsAre("a", "b"));
  EXPECT_TRUE(driver->state().blocked.empty());
  ASSERT_THAT(incidents, SizeIs(1));
  EXPECT_EQ(incidents.at(1).rule, "wire_damage");
  EXPECT_EQ(incidents.at(1).what, "a message of rank 1 to rank 2 was changed on the way");
  expect_sound();
}

// With ranks on several hosts, a loss that was wrong names none of them.
TEST_F(BadHostsTest, ALossThatWasWrongBlocksTheOnlyHost) {
  settings.hosts = 1;
  settings.world_size = 2;
  driver.reset();
  log.clear();
  start_driver(1);
  settle({&a, &b});
  resume({&a});
  report({&a}, 5, std::numeric_limits<double>::quiet_NaN());
  settle({&a, &b});
  resume({&a});
  report({&a}, 5);
  pass(3, {&a, &b});
  EXPECT_THAT(members(), ElementsAre("b"));
  expect_sound();
}

}  // namespace
}  // namespace megascale::control
