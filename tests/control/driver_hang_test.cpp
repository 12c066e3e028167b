// A job that makes no progress: the driver asks for the culprit, and keeps the evidence before it
// lets anything be killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/sights.h"
#include "megascale/control/driver.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

class DriverHangTest : public ::testing::Test {
 protected:
  // A job of two ranks that trained to step 37 and hangs.
  Driver::Step hang(RankState state_of_rank_1) {
    settings.world_size = 2;
    driver.emplace("j", 1, settings, std::nullopt);
    driver->locate_by([this](const JobSight&) {
      ++asked;
      return HangFinding{.rank = 1, .what = "rank 1 holds up", .evidence = "plan", .file = "{}"};
    });
    (void)driver->begin(kSecond);
    (void)driver->heartbeat(heartbeat_of(1, 0, {}), kSecond);
    std::vector<RankReport> ranks{running_rank(0), running_rank(1)};
    (void)driver->heartbeat(heartbeat_of(2, 1, ranks), 2 * kSecond);
    ranks[0].idle_seconds = 9;
    ranks[1].idle_seconds = 8;  // by silence, rank 0 would be named
    ranks[1].state = state_of_rank_1;
    Heartbeat heartbeat = heartbeat_of(3, 1, ranks);
    heartbeat.acknowledged = 1;
    Driver::Step step = driver->heartbeat(heartbeat, 3 * kSecond);
    EXPECT_EQ(step.evidence.size(), 1U);
    EXPECT_EQ(step.reply.orders.size(), 1U) << "the ranks are stopped in the same event";
    return step;
  }
  DriverSettings settings;
  std::optional<Driver> driver;
  int asked = 0;
};

TEST_F(DriverHangTest, TheRankOfThePlanIsNamedAndTheEvidenceIsKept) {
  const Driver::Step step = hang(RankState::running);
  ASSERT_EQ(step.change.incidents.size(), 1U);
  const Incident& incident = step.change.incidents[0];
  EXPECT_EQ(incident.rank, 1);
  EXPECT_EQ(incident.what, "rank 1 holds up");
  EXPECT_THAT(incident.evidence, AllOf(HasSubstr("no progress for 8.0 s"), HasSubstr("; plan;"),
                                       HasSubstr("control/incident-1.json")));
  EXPECT_EQ(step.evidence[0].incident, 1);
  EXPECT_EQ(asked, 1);
}

TEST_F(DriverHangTest, AStoppedProcessIsTheCulpritWhateverThePlanSays) {
  const Driver::Step step = hang(RankState::stopped);
  EXPECT_THAT(step.change.incidents[0].what, HasSubstr("rank 1 was stopped by a signal"));
}

}  // namespace
}  // namespace megascale::control
