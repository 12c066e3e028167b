// Jobs of `megascale submit --launcher slurm` that are disturbed: they go on from their checkpoint and
// end with the bits of a run that was left alone.
#include <algorithm>

#include "cli/submit_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

const Settings kDisturbed{"train.train_iters=600",  "train.log_interval=100",
                          "train.eval_interval=0",  "checkpoint.interval=50",
                          "checkpoint.keep_last=2", "optimizer.lr_decay_iters=600"};

class DisturbedSlurmTest : public SubmitSlurmTest {
 protected:
  [[nodiscard]] pid_t driver_of(const char* run) const {
    const std::string folder = (space / run).lexically_normal().string();
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::string command = read(entry.path() / "cmdline");
      std::replace(command.begin(), command.end(), '\0', ' ');
      if (command.find(" driver " + folder + " --listen") != std::string::npos)
        return std::stoi(name);
    }
    return -1;
  }
};

TEST_F(DisturbedSlurmTest, AKilledDriverIsStartedAgainAndNothingIsLost) {
  const PrivateSlurm slurm(2);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  ASSERT_EQ(space.train("whole", four_ranks(kDisturbed)).exit_code, 0);
  const std::string job = submit(slurm, "run", "2", kDisturbed);
  ASSERT_TRUE(wait_for([&] { return has_checkpoint("run", 50); }, 100)) << log_of("run", job);
  const pid_t driver = driver_of("run");
  ASSERT_GT(driver, 0);
  ASSERT_EQ(::kill(driver, SIGKILL), 0);
  ASSERT_TRUE(wait_for(
      [&] {
        const pid_t now = driver_of("run");
        return now > 0 && now != driver;
      },
      30))
      << log_of("run", job);
  EXPECT_EQ(end_of(slurm, job, 200), "0:0") << log_of("run", job);
  EXPECT_EQ(value(slurm, job, "Restarts"), "0");
  expect_same_run(space / "run", space / "whole", 600);
}

TEST_F(DisturbedSlurmTest, BeforeItsTimeLimitAJobSavesAndIsRequeued) {
  const PrivateSlurm slurm(1);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  ASSERT_EQ(space.train("whole", four_ranks(kDisturbed)).exit_code, 0);
  const std::string job = submit(slurm, "run", "1", kDisturbed);
  ASSERT_TRUE(wait_for([&] { return has_checkpoint("run", 50); }, 100)) << log_of("run", job);
  slurm.command({"scancel", "--batch", "--signal=USR1", job});  // as --signal=B:USR1@120 does
  EXPECT_EQ(end_of(slurm, job, 200), "0:0") << log_of("run", job);
  EXPECT_EQ(value(slurm, job, "Restarts"), "1");
  EXPECT_THAT(log_of("run", job), HasSubstr("the time limit is near"));
  expect_same_run(space / "run", space / "whole", 600);
}

// Slurm ends the job, and starts it again on the same node.
TEST_F(DisturbedSlurmTest, AJobThatIsRequeuedWhileItRunsGoesOn) {
  const PrivateSlurm slurm(1);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  ASSERT_EQ(space.train("whole", four_ranks(kDisturbed)).exit_code, 0);
  const std::string job = submit(slurm, "run", "1", kDisturbed);
  ASSERT_TRUE(wait_for([&] { return has_checkpoint("run", 50); }, 100)) << log_of("run", job);
  slurm.command({"scontrol", "requeue", job});
  EXPECT_EQ(end_of(slurm, job, 250), "0:0") << log_of("run", job);
  EXPECT_EQ(value(slurm, job, "Restarts"), "1");
  expect_same_run(space / "run", space / "whole", 600);
}

TEST_F(DisturbedSlurmTest, ACrashLoopIsNotRequeued) {
  const PrivateSlurm slurm(1);
  if (!slurm.missing().empty()) GTEST_SKIP() << slurm.missing();
  Settings broken = kDisturbed;
  broken.emplace_back("data.data_path=/absent");
  broken.emplace_back("control.backoff_seconds=0.05");
  const std::string job = submit(slurm, "run", "1", broken);
  EXPECT_EQ(end_of(slurm, job, 100), "3:0") << log_of("run", job);
  EXPECT_EQ(value(slurm, job, "Requeue"), "0");
}

}  // namespace
}  // namespace megascale::testing
