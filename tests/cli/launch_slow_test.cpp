// What takes a job some time-outs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "cli/launch_support.h"
#include "megascale/base/philox.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

// Survivors wait for the time-out, hold a roll call, and the parent waits four seconds.
TEST_F(LaunchTest, AStoppedRankIsNamedAndNoProcessIsLeft) {
  Settings set = four_ranks(kLong);
  set.emplace_back("control.timeout_seconds=3");
  Process process(with(space.arguments("train", "run", set), "--processes"));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "run"); }));
  ASSERT_EQ(::kill(processes_of(space / "run").at(3), SIGSTOP), 0);
  const Finished lost = process.wait();
  EXPECT_EQ(lost.exit_code, 1) << lost;
  EXPECT_TRUE(processes_of(space / "run").empty());
  EXPECT_THAT(lost.err, HasSubstr("no answer any more from rank 3; "));
  EXPECT_THAT(lost.err, HasSubstr("has not ended 4 s after the others; killed"));
}

// Whenever a rank is stopped during the start, the others end: by the time-out of the meeting, of the
// first exchange or of a step.
TEST_F(LaunchTest, ARankThatIsStoppedDuringTheStartIsNamed) {
  Settings set = four_ranks(kLong);
  set.emplace_back("control.timeout_seconds=3");
  const PhiloxStream random(11, "freeze");
  for (int i = 0; i < 12; ++i) {
    const std::string run = "run" + std::to_string(i);
    const auto delay_us =
        static_cast<unsigned>(random.bits(static_cast<std::uint64_t>(i)) % 1'500'000);
    Process process(with(space.arguments("train", run, set), "--processes"));
    ASSERT_TRUE(process.wait_until([&] { return processes_of(space / run).size() == 5; }));
    ::usleep(delay_us);
    ASSERT_EQ(::kill(processes_of(space / run).at(3), SIGSTOP), 0);
    const Finished lost = process.wait(120);  // the meeting takes at least a minute
    EXPECT_FALSE(lost.timed_out) << "after " << delay_us << " us\n" << lost;
    EXPECT_EQ(lost.exit_code, 1) << "after " << delay_us << " us\n" << lost;
    EXPECT_TRUE(processes_of(space / run).empty());
    EXPECT_THAT(lost.err, HasSubstr("rank 3")) << "after " << delay_us << " us";
  }
}

}  // namespace
}  // namespace megascale::testing
