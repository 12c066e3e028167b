// The rank that holds up a job is named by the plan, from positions alone.
#include "megascale/control/culprit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/sights.h"
#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"
#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A job of four ranks that have begun step 5; but rank 2 is still at the end of step 4.
class CulpritTest : public ::testing::Test {
 protected:
  CulpritTest() {
    const Config config = parse_config("[parallel]\nworld_size = 4\nzero_stage = 2\n", "test");
    scratch.write("config.toml", to_toml(config));
    const job::JobPlan job = job::plan_job(config, 4);
    state.phase = Phase::training;
    state.attempt.epoch = 1;
    settings.world_size = 4;
    std::vector<RankReport> ranks;
    for (std::uint32_t r = 0; r < 4; ++r) {
      ranks.push_back(running_rank(r));
      const auto plan = job.plan_of(r, job.train_verification);
      ranks[r].position = {.plan_digest = plan.plan().digest(),
                           .tasks = static_cast<std::uint32_t>(plan.plan().tasks().size()),
                           .step = r == 2 ? 4 : 5,
                           .ended = r == 2,
                           .last_ns = 1000 + r,
                           .done = {}};
      if (r == 2) ranks[r].position->done = {0};
    }
    hosts["a"] = {.last_seen_ns = 0, .heartbeat = heartbeat_of(1, 1, std::move(ranks))};
  }
  HangFinding find() {
    CulpritFinder finder(scratch / "config.toml");
    finder.prepare(4);
    return finder.find({.settings = settings, .state = state, .hosts = hosts});
  }
  RankReport& rank(std::size_t index) { return hosts["a"].heartbeat.ranks[index]; }
  const ScratchDirectory scratch;
  DriverSettings settings;
  DriverState state;
  std::map<std::string, HostSight> hosts;
};

TEST_F(CulpritTest, TheRankThatHoldsUpTheOthersIsNamed) {
  // Everybody but rank 2 has started its first transfer; without that they were suspects too.
  const Config config = load_config(scratch / "config.toml");
  const job::JobPlan job = job::plan_job(config, 4);
  for (const std::uint32_t r : {0U, 1U, 3U}) {
    const auto plan = job.plan_of(r, job.train_verification);
    RankPosition& position = *rank(r).position;
    for (std::uint32_t task = 0; task < position.tasks; ++task) {
      const auto& one = plan.plan().tasks()[task];
      if (plan.plan().op(one).def->transfer && plan.plan().waits(one).empty()) {
        position.started = {task};
        break;
      }
    }
    ASSERT_EQ(position.started.size(), 1U);
    if (position.started[0] > 0) position.done = {0, position.started[0]};
  }
  const HangFinding finding = find();
  EXPECT_EQ(finding.rank, 2) << finding.evidence << finding.file;
  EXPECT_THAT(finding.what, HasSubstr("rank 2 holds up the others, step 4: has ended its step"));
  EXPECT_THAT(finding.evidence, HasSubstr("3 ranks wait for it: 0, 1, 3"));
  EXPECT_THAT(finding.file, AllOf(HasSubstr("\"suspects\""), HasSubstr("\"last_ns\":1003")));
}

TEST_F(CulpritTest, PositionsOfAnotherPlanNameNobody) {
  rank(1).position->plan_digest[0] = 'x';
  EXPECT_EQ(find().rank, -1);
  EXPECT_THAT(find().evidence, HasSubstr("rank 1 runs plan x"));
  EXPECT_THAT(find().file, HasSubstr("\"last_ns\":1003")) << "the positions are kept";
}

TEST_F(CulpritTest, AnEndedRankOrAMissingConfigurationNamesNobody) {
  rank(3) = ended_rank(3, 0, 9, 1);
  EXPECT_THAT(find().evidence, HasSubstr("rank 3 has ended"));
  std::filesystem::remove(scratch / "config.toml");
  EXPECT_THAT(find().evidence, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace megascale::control
