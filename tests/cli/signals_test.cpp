// What signals do to a training: it saves and says so, and its exit code tells if it could not.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

// A step takes some hundred milliseconds, so that two signals come within one.
const Settings kSlowSteps{"train.train_iters=1000000", "train.log_interval=1",
                          "train.global_batch_size=1024"};

// The tests themselves may run under nohup.
void take_hangups() { ::signal(SIGHUP, SIG_DFL); }

TEST(Signals, EachStopsSavesAndSaysSo) {
  take_hangups();
  const Workspace space;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const std::string run = "run" + std::to_string(signal);
    Process process(space.arguments("train", run, kEndless));
    ASSERT_TRUE(has_said(process, "step 10/"));
    process.send(signal);
    expect_saved(process.wait(), space / run);
  }
}

TEST(Signals, NohupIsRespected) {
  const Workspace space;
  Process process(space.arguments("train", "run", kEndless), {.launcher = {"nohup"}});
  ASSERT_TRUE(has_said(process, "step 10/"));
  process.send(SIGHUP);
  ASSERT_TRUE(has_said(process, "step 200/")) << process.err();
  EXPECT_EQ(process.err().find("stopping"), std::string::npos) << process.err();
  process.send(SIGTERM);
  expect_saved(process.wait(), space / "run");
}

TEST(Signals, TheSecondInterruptEndsAtOnce) {
  const Workspace space;
  Process process(space.arguments("train", "run", kSlowSteps));
  ASSERT_TRUE(has_said(process, "step 1/"));
  process.send(SIGINT);
  ASSERT_TRUE(has_said(process, "Ctrl-C again ends without"));
  process.send(SIGINT);
  const Finished ended = process.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended;
  EXPECT_FALSE(std::filesystem::exists(space / "run" / "checkpoints" / "step-00000002"));
}

// The handlers of UCX allocate memory. A crash inside malloc() then never ended.
TEST(Signals, ACrashEndsByItsSignalAndShowsItsCalls) {
  const Workspace space;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    Process process(space.arguments("train", "run" + std::to_string(signal), kEndless));
    ASSERT_TRUE(has_said(process, "step 10/"));
    process.send(signal);
    const Finished ended = process.wait();
    EXPECT_EQ(ended.signal, signal) << ended;
    EXPECT_NE(ended.err.find("crashed by signal " + std::to_string(signal)), std::string::npos)
        << ended;
    EXPECT_NE(ended.err.find("libc.so"), std::string::npos) << "no calls: " << ended;
    EXPECT_EQ(ended.err.find("libucs"), std::string::npos) << ended;
  }
}

class LaunchSignals : public LaunchTest {};

TEST_F(LaunchSignals, AHangupOfTheParentStopsAndSaves) {
  take_hangups();
  Process process(with(space.arguments("train", "run", four_ranks(kLong)), "--processes"));
  ASSERT_TRUE(process.wait_until([&] { return has_saved(space / "run"); }));
  process.send(SIGHUP);
  expect_saved(process.wait(), space / "run");
  EXPECT_TRUE(processes_of(space / "run").empty());
}

TEST_F(LaunchSignals, TwoInterruptsOfTheParentEndAllRanks) {
  Process process(with(space.arguments("train", "run", four_ranks(kSlowSteps)), "--processes"));
  ASSERT_TRUE(has_said(process, "step 1/"));
  process.send(SIGINT);
  ASSERT_TRUE(has_said(process, "stopping after this step"));
  process.send(SIGINT);
  const Finished ended = process.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended;
  EXPECT_TRUE(processes_of(space / "run").empty());
}

TEST_F(LaunchSignals, AnInterruptBeforeTheFirstStepIsNoSignalDeath) {
  Process process(with(space.arguments("train", "run", four_ranks(kLong)), "--processes"));
  ASSERT_TRUE(process.wait_until([&] { return processes_of(space / "run").size() == 5; }));
  process.send(SIGINT);
  ::usleep(150'000);
  process.send(SIGINT);
  const Finished ended = process.wait();
  EXPECT_EQ(ended.exit_code, 130) << ended;
  EXPECT_TRUE(processes_of(space / "run").empty());
}

}  // namespace
}  // namespace megascale::testing
