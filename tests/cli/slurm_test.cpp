// `srun megascale train`, by the real one.
#include "cli/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

using SlurmTest = LaunchTest;

Setup srun(const PrivateSlurm& slurm, const std::vector<std::string>& options) {
  Setup setup{.launcher = {"srun", "--quiet"}, .environment = slurm.environment()};
  setup.launcher.insert(setup.launcher.end(), options.begin(), options.end());
  setup.environment.emplace_back("MEGASCALE_JOB_SECRET=a secret of this test");
  return setup;
}

TEST_F(SlurmTest, SrunMakesRanks) {
  const PrivateSlurm slurm(1);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  ASSERT_EQ(space.train("threads", four_ranks()).exit_code, 0);
  for (const char* mpi : {"--mpi=none", "--mpi=pmi2"}) {
    SCOPED_TRACE(mpi);
    Process process(space.arguments("train", mpi, four_ranks()), srun(slurm, {"-n", "4", mpi}));
    const Finished finished = process.wait();
    EXPECT_EQ(finished.exit_code, 0) << finished;
    EXPECT_TRUE(finished.json().is_object()) << finished;
    expect_same_run(space / mpi, space / "threads", 12);
  }
}

// The ranks meet at the first host of the step's nodes, on a port that follows from the job.
TEST_F(SlurmTest, RanksOfTwoNodesMeet) {
  const PrivateSlurm slurm(2);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  ASSERT_EQ(space.train("threads", four_ranks()).exit_code, 0);
  Process process(space.arguments("train", "nodes", four_ranks()),
                  srun(slurm, {"-N", "2", "-n", "4", "--ntasks-per-node=2"}));
  const Finished finished = process.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished;
  expect_same_run(space / "nodes", space / "threads", 12);
}

TEST_F(SlurmTest, ScancelWithASignalSaves) {
  const PrivateSlurm slurm(1);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  Process process(space.arguments("train", "run", four_ranks(kLong)), srun(slurm, {"-n", "4"}));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "run"); }));
  ASSERT_EQ(slurm.jobs().size(), 1U);
  slurm.command({"scancel", "--signal=TERM", slurm.jobs().front()});
  const Finished stopped = process.wait();
  ASSERT_EQ(stopped.exit_code, 0) << stopped;
  EXPECT_TRUE(checkpoint_of(space / "run", stopped.json().at("steps_done")).is_object());
}

TEST_F(SlurmTest, ALostRankEndsTheStep) {
  const PrivateSlurm slurm(1);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  Process process(space.arguments("train", "run", four_ranks(kLong)), srun(slurm, {"-n", "4"}));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "run"); }));
  ASSERT_EQ(::kill(processes_of(space / "run", "SLURM_PROCID").at(2), SIGKILL), 0);
  const Finished lost = process.wait();
  EXPECT_NE(lost.exit_code, 0) << lost;
  EXPECT_THAT(lost.err, HasSubstr("is lost: its process has ended"));
  EXPECT_TRUE(processes_of(space / "run", "SLURM_PROCID").empty());
}

}  // namespace
}  // namespace megascale::testing
