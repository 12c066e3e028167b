// What takes a job some time-outs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

// Survivors wait for the time-out, hold a roll call, and the parent waits four seconds.
TEST_F(LaunchTest, AStoppedRankIsNamedAndNoProcessIsLeft) {
  Settings set = four_ranks(kLong);
  set.emplace_back("control.timeout_seconds=3");
  Process process(with(space.arguments("train", "run", set), "--processes"));
  ASSERT_TRUE(process.wait_until(
      [&] { return std::filesystem::exists(space / "run" / "checkpoints" / "step-00000020"); }));
  ASSERT_EQ(::kill(processes_of(space / "run").at(3), SIGSTOP), 0);
  const Finished lost = process.wait();
  EXPECT_EQ(lost.exit_code, 1) << lost;
  EXPECT_TRUE(processes_of(space / "run").empty());
  EXPECT_THAT(lost.err, HasSubstr("no answer any more from rank 3; "));
  EXPECT_THAT(lost.err, HasSubstr("has not ended 4 s after the others; killed"));
}

}  // namespace
}  // namespace megascale::testing
