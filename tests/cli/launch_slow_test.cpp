// What takes a job some time-outs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "cli/launch_support.h"
#include "megascale/base/philox.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

// A job whose ranks are stopped has a session of its own, and ends with the test. In the process
// group of a shell that has started the tests in the background, the kernel would let a stopped
// rank go on (SIGHUP, then SIGCONT) when that shell ends.
const Setup kOwnSession{.launcher = {"setpriv", "--pdeathsig", "KILL", "setsid"}};

// Survivors wait for the time-out, hold a roll call, and the parent waits four seconds.
TEST_F(LaunchTest, AStoppedRankIsNamedAndNoProcessIsLeft) {
  Settings set = four_ranks(kLong);
  set.emplace_back("control.timeout_seconds=3");
  Process process(with(space.arguments("train", "run", set), "--processes"), kOwnSession);
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "run"); }));
  ASSERT_EQ(::kill(processes_of(space / "run").at(3), SIGSTOP), 0);
  const Finished lost = process.wait();
  EXPECT_EQ(lost.exit_code, 1) << lost;
  EXPECT_TRUE(processes_of(space / "run").empty());
  EXPECT_THAT(lost.err, HasSubstr("no answer any more from rank 3; "));
  EXPECT_THAT(lost.err, HasSubstr("has not ended 4 s after the others; killed"));
}

// Returns how many ranks say that this rank did not arrive or no longer answers. What the launcher
// says does not count: it names a rank that it kills, whether the others know of it or not.
int ranks_that_name(const std::string& rank, const std::string& err) {
  const std::string did_not_arrive = "did not arrive within 60 s: " + rank + ";";
  int count = 0;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    count += line.starts_with("megascale: no answer any more from " + rank + "; ") ||
             line.find(did_not_arrive) != std::string::npos;
  }
  return count;
}

// Returns the state of a process as /proc has it: "T" if it is stopped; empty if it is gone.
std::string state_of(pid_t process) {
  const std::string line = read("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = line.rfind(") ");
  return name_end == std::string::npos ? "" : line.substr(name_end + 2, 1);
}

// Whenever a rank is stopped during the start, each of the others ends and names it: by the
// time-out of the meeting, of the first exchange or of a step. The launcher then kills it.
TEST_F(LaunchTest, ARankThatIsStoppedDuringTheStartIsNamed) {
  Settings set = four_ranks(kLong);
  set.emplace_back("control.timeout_seconds=3");
  const PhiloxStream random(11, "freeze");
  for (int i = 0; i < 12; ++i) {
    const std::string run = "run" + std::to_string(i);
    const auto delay_us =
        static_cast<unsigned>(random.bits(static_cast<std::uint64_t>(i)) % 1'500'000);
    Process process(with(space.arguments("train", run, set), "--processes"), kOwnSession);
    ASSERT_TRUE(process.wait_until([&] { return processes_of(space / run).size() == 5; }));
    ::usleep(delay_us);
    const pid_t stopped = processes_of(space / run).at(3);
    ASSERT_EQ(::kill(stopped, SIGSTOP), 0);
    // The meeting takes at least a minute. Then the launcher and the stopped rank are left.
    const bool others_end =
        process.wait_until([&] { return processes_of(space / run).size() <= 2; }, 120);
    const std::string state = state_of(stopped);
    const Finished lost = process.wait();
    SCOPED_TRACE("stopped after " + std::to_string(delay_us) + " us");
    EXPECT_TRUE(others_end && !lost.timed_out) << lost;
    EXPECT_EQ(lost.exit_code, 1) << lost;
    EXPECT_TRUE(processes_of(space / run).empty());
    EXPECT_EQ(ranks_that_name("rank 3", lost.err), 3) << lost;
    EXPECT_EQ(state, "T") << "somebody outside of the job has let the rank go on or killed it\n"
                          << lost;
    EXPECT_THAT(lost.err, HasSubstr("rank 3 (process " + std::to_string(stopped) +
                                    ") has not ended 4 s after the others; killed"));
  }
}

// A rank that goes on once the others have ended finds their verdict and ends by itself. The
// launcher then has nothing to kill and does not name it. The others have named it all the same.
TEST_F(LaunchTest, ARankThatGoesOnAfterTheMeetingIsNamedByTheOthers) {
  Settings set = four_ranks(kLong);
  set.emplace_back("control.timeout_seconds=3");
  Process process(with(space.arguments("train", "run", set), "--processes"), kOwnSession);
  ASSERT_TRUE(process.wait_until([&] { return processes_of(space / "run").size() == 5; }));
  const pid_t late = processes_of(space / "run").at(3);
  ASSERT_EQ(::kill(late, SIGSTOP), 0);
  ASSERT_TRUE(process.wait_until([&] { return processes_of(space / "run").size() == 2; }, 120))
      << process.err();
  ASSERT_EQ(::kill(late, SIGCONT), 0);
  const Finished lost = process.wait();
  EXPECT_EQ(lost.exit_code, 1) << lost;
  EXPECT_TRUE(processes_of(space / "run").empty());
  EXPECT_EQ(ranks_that_name("rank 3", lost.err), 4) << lost;  // it says the same of itself
  EXPECT_EQ(lost.err.find("killed"), std::string::npos) << lost;
}

}  // namespace
}  // namespace megascale::testing
