// Goal: a run whose batch grows can be planned, checked, stopped in any phase and looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/workspace.h"

namespace megascale::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Steps 1 to 4 have 2 sequences, 5 and 6 have 4, 7 and 8 have 6 (16 + 12 = 28 >= 24), the others 8.
const std::vector<std::string> kRamp{"train.global_batch_size=8", "train.micro_batch_size=1",
                                     "train.rampup_batch_size=2,2,24", "parallel.world_size=2"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), kRamp.begin(), kRamp.end());
  return more;
}

TEST(RampCommandTest, PlanAndCheckShowThePhases) {
  const Workspace space;
  const Finished plan = megascale(space.arguments("plan", "run", kRamp));
  EXPECT_EQ(plan.exit_code, 0) << plan;
  EXPECT_THAT(plan.out, HasSubstr("2 sequences from step 1 on, 4 from step 5 on, 6 from step 7 on, "
                                  "8 from step 9 on; all else here is of 8"));
  const Finished check = megascale(space.arguments("check", "run", kRamp));
  EXPECT_EQ(check.exit_code, 0) << check;
  // Sizes that the layout cannot have.
  const Finished odd =
      megascale(space.arguments("check", "run", with({"train.rampup_batch_size=3,1,24"})));
  EXPECT_EQ(odd.exit_code, 2);
  EXPECT_THAT(odd.err, AllOf(HasSubstr("START and INCREMENT of rampup_batch_size to be multiples"),
                             HasSubstr("rampup_batch_size = [3, 1, 24]")));
  std::vector<std::string> simulate = space.arguments("simulate", "run", kRamp);
  simulate.insert(simulate.end(), {"--cluster", std::string(MEGASCALE_SOURCE_DIR) +
                                                    "/clusters/a100-megascale.toml"});
  const Finished simulated = megascale(simulate);
  EXPECT_EQ(simulated.exit_code, 0) << simulated;
  EXPECT_THAT(simulated.err, HasSubstr("steps of 8 sequences are looked at")) << simulated;
}

TEST(RampCommandTest, ReportAndOthersReadARunOfAnyPhase) {
  const Workspace space;
  const std::vector<std::pair<int, std::int64_t>> phases{{3, 6}, {5, 12}, {12, 60}};  // samples
  for (const auto& [steps, samples] : phases) {
    SCOPED_TRACE(steps);
    const std::string run = "run" + std::to_string(steps);
    const Finished trained = space.train(
        run, with({"train.train_iters=" + std::to_string(steps), "observe.stored_steps=100"}));
    ASSERT_EQ(trained.exit_code, 0) << trained;
    EXPECT_THAT(trained.err, HasSubstr("global batch: 2 sequences from step 1 on, 4 from step 5"));
    EXPECT_EQ(metrics_of(space / run).back().at("consumed_tokens"), 32 * samples);
    EXPECT_THAT(trained.err, Not(HasSubstr("no more steps are stored")));
    const std::string directory = (space / run).string();
    const Finished report = megascale({"report", directory, "--json"});
    EXPECT_EQ(report.exit_code, 0) << report;
    EXPECT_EQ(report.json().at("state"), "complete");
    EXPECT_EQ(report.json().at("records").at("ranks").size(), 2U) << report;
    EXPECT_THAT(report.out + report.err, Not(HasSubstr("belong to plan")));
    const Finished hang = megascale({"hang", directory, "--json"});
    EXPECT_EQ(hang.exit_code, 0) << hang;
    EXPECT_FALSE(hang.json().at("hangs"));
    const Finished trace =
        megascale({"trace", directory, "--output", (space / "trace.json").string()});
    EXPECT_EQ(trace.exit_code, 0) << trace;
  }
}

}  // namespace
}  // namespace megascale::testing
