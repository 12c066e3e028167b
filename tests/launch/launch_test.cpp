#include <gtest/gtest.h>
#include <limits.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/launch/child_process.h"
#include "megascale/launch/forked_processes.h"

namespace megascale::launch {
namespace {

TEST(ForkedTest, RunsEveryIndexAndThrowsWhereOneFails) {
  EXPECT_NO_THROW(run_forked(3, [](std::uint32_t) { return 0; }));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run_forked(3,
                          [](std::uint32_t index) {
                            if (index == 1) return 7;
                            std::this_thread::sleep_for(std::chrono::minutes(5));
                            return 0;
                          }),
               Error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));  // killed
}

TEST(ForkedTest, WorkersReportAfterTheStart) {
  ForkedWorkers workers(3, [](std::uint32_t index, const ForkedWorkers::Start& start) {
    return start() ? "worker " + std::to_string(index) : std::string("not started");
  });
  workers.start();
  std::set<std::string> reports;
  workers.collect([&](const std::string& report) { reports.insert(report); });
  EXPECT_EQ(reports, (std::set<std::string>{"worker 0", "worker 1", "worker 2"}));
}

TEST(ForkedTest, AWorkerThatDiesIsNamedAsAnError) {
  ForkedWorkers workers(2, [](std::uint32_t index, const ForkedWorkers::Start& start) {
    (void)start();
    if (index == 1) ::_exit(1);
    std::this_thread::sleep_for(std::chrono::minutes(5));
    return std::string("late");
  });
  workers.start();
  EXPECT_THROW(workers.collect([](const std::string&) {}), Error);
}  // the other one is killed

TEST(ForkedTest, WorkersThatAreNeverStartedAreReaped) {
  const ForkedWorkers workers(2, [](std::uint32_t, const ForkedWorkers::Start& start) {
    (void)start();
    return std::string("x");
  });
}

TEST(ChildProcessTest, ReturnsWhatThisProgramWrote) {
  EXPECT_NE(run_this_program({"--gtest_list_tests"}).find("ChildProcessTest."), std::string::npos);
  EXPECT_THROW((void)run_this_program({"--gtest_also_run_disabled_tests",
                                       "--gtest_filter=ChildProcessTest.DISABLED_Fails"}),
               Error);
}

// Run by the test above, in a process of its own.
TEST(ChildProcessTest, DISABLED_Fails) { FAIL(); }

}  // namespace
}  // namespace megascale::launch
