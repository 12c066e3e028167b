// Planning is a function of its arguments: it leaves the calling thread's OpenMP team as it was,
// and does not depend on it either.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/job/inference_plan.h"
#include "megascale/job/job_plan.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::job {
namespace {

using kernels::cpu::team_size;
using kernels::cpu::TeamSize;

// Attention's scratch and that of large products grow with the team.
Config config_of(const std::string& threads) {
  return parse_config("", "test",
                      std::vector<std::string>{"model.num_layers=2", "model.hidden_size=512",
                                               "model.num_attention_heads=8", "model.seq_length=64",
                                               "train.threads_per_rank=" + threads});
}

TEST(PurityTest, PlanningLeavesTheTeamAsItWas) {
  const TeamSize team(3);
  const std::size_t before = team_size();
  (void)plan_job(config_of("1"));
  EXPECT_EQ(team_size(), before);
  (void)plan_inference(config_of("2"));
  EXPECT_EQ(team_size(), before);
}

TEST(PurityTest, ScratchDependsOnTheConfigurationsThreadsOnly) {
  std::vector<std::string> digests;
  for (const char* threads : {"1", "2", "4"}) {
    for (const std::size_t callers : {1, 2, 4}) {
      const TeamSize team(callers);
      digests.push_back(plan_job(config_of(threads)).stages[0].train.expansion.plan.digest());
    }
    EXPECT_EQ(digests.end()[-1], digests.end()[-2]) << threads;
    EXPECT_EQ(digests.end()[-2], digests.end()[-3]) << threads;
  }
  EXPECT_NE(digests[0], digests[3]);
  EXPECT_NE(digests[3], digests[6]);
}

TEST(PurityTest, RanksShareTheCoresThatAreGiven) {
  const Config config =
      parse_config("", "test",
                   std::vector<std::string>{"model.num_layers=2", "parallel.world_size=2",
                                            "train.global_batch_size=2"});
  EXPECT_EQ(plan_job(config, 0, 8).kernels.threads, 4U);  // both ranks of the job are here
  EXPECT_EQ(plan_job(config, 1, 8).kernels.threads, 8U);
  EXPECT_EQ(plan_job(config, 16, 8).kernels.threads, 1U);
  EXPECT_EQ(plan_inference(config, 6).kernels.threads, 6U);
}

}  // namespace
}  // namespace megascale::job
