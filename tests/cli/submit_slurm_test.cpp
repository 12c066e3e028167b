// `megascale submit --launcher slurm`, by a real Slurm.
#include "cli/submit_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(SubmitSlurmTest, AJobRunsOnTwoNodesToItsEnd) {
  const PrivateSlurm slurm(2);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  ASSERT_EQ(space.train("threads", four_ranks()).exit_code, 0);
  const std::string job = submit(slurm, "run", "2", {});
  ASSERT_FALSE(job.empty());
  EXPECT_EQ(end_of(slurm, job, 100), "0:0") << log_of("run", job);
  expect_same_run(space / "run", space / "threads", 12);
}

TEST_F(SubmitSlurmTest, WhatSlurmCannotTakeIsTold) {
  const auto arguments =
      with(with(space.arguments("submit", "run", four_ranks()), "--launcher"), "slurm");
  const Finished printed = megascale(with(with(with(arguments, "--hosts"), "2"), "--print"));
  EXPECT_EQ(printed.exit_code, 0) << printed;
  EXPECT_THAT(printed.out, HasSubstr("#SBATCH --nodes=2\n"));
  EXPECT_FALSE(std::filesystem::exists(space / "run"));
  const Finished odd = megascale(with(with(arguments, "--hosts"), "3"));
  EXPECT_EQ(odd.exit_code, 2) << odd;
  EXPECT_THAT(odd.err, HasSubstr("expected a number that divides the 4 ranks, found 3"));
  // For a file that is not there sbatch waits a minute.
  std::ofstream(space / "slurm.conf") << "ClusterName=\n";
  const Finished refused =
      megascale(arguments, {.environment = {"SLURM_CONF=" + (space / "slurm.conf").string()}});
  EXPECT_EQ(refused.exit_code, 1) << refused;
  EXPECT_THAT(refused.err, HasSubstr("sbatch"));
}

}  // namespace
}  // namespace megascale::testing
