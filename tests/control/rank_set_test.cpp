// Processes of ranks, with /bin/sh in place of a training.
#include "megascale/control/rank_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>

#include "megascale/base/clock.h"
#include "megascale/base/files.h"
#include "megascale/base/record_ring_format.h"
#include "megascale/base/run_directory.h"
#include "megascale/launch/process_state.h"
#include "megascale/runtime/record_ring.h"
#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

using megascale::testing::ScratchDirectory;
using ::testing::Contains;
using ::testing::ElementsAre;

class RankSetTest : public ::testing::Test {
 protected:
  RankSetTest()
      : ranks({.run_dir = scratch / "run",
               .host = launch::own_host_name(),
               .program = "/bin/sh",
               .on_line = [this](std::uint32_t rank, std::string_view line) {
                 lines.push_back(std::to_string(rank) + ": " + std::string(line));
               }}) {}
  void start(const std::string& script, std::uint32_t count = 2) {
    Order order{.number = ++number, .kind = OrderKind::start, .epoch = ++epoch};
    order.ranks = order.world_size = count;
    order.arguments = {"sh", "-c", script};
    ranks.start(order);
  }
  // Waits for events until `condition` holds.
  template <class Condition>
  bool wait_until(const Condition& condition) {
    for (int i = 0; i < 1000; ++i) {
      ranks.take(monotonic_ns());
      if (condition()) return true;
      std::vector<pollfd> descriptors;
      ranks.add_to(descriptors);
      ::poll(descriptors.data(), descriptors.size(), 10);
    }
    return false;
  }
  bool wait_for_ends() {
    return wait_until([&] { return !ranks.any_left(); });
  }
  [[nodiscard]] std::vector<RankReport> report() { return ranks.report(monotonic_ns()); }

  // Writes the record ring of rank 0 anew, with steps that have ended at `end_ns`.
  void write_ring(std::int64_t process, std::int64_t steps, std::int64_t end_ns) const {
    const RunDirectory run(scratch / "run");
    make_directories(run.events());
    {
      runtime::RecordRing ring(run.ring(0),
                               {.tasks = 1, .steps = 2, .plan_digest = std::string(32, 'a')});
      for (std::int64_t step = 0; step < steps; ++step) {
        ring.begin_step(step, end_ns - 1);
        ring.end_step(step, end_ns);
      }
    }
    std::fstream file(run.ring(0), std::ios::binary | std::ios::in | std::ios::out);
    const auto pid = static_cast<std::uint32_t>(process);
    file.seekp(offsetof(RecordRingHeader, process_id));
    file.write(reinterpret_cast<const char*>(&pid), sizeof pid);
  }

  const ScratchDirectory scratch;
  std::vector<std::string> lines;
  std::int64_t number = 0, epoch = 0;
  RankSet ranks;
};

TEST_F(RankSetTest, TellsHowEachRankEnds) {
  start("if [ $RANK = 0 ]; then exit 7; fi; kill -SEGV $$");
  ASSERT_TRUE(wait_for_ends());
  EXPECT_EQ(report()[0].exit_code, 7);
  EXPECT_EQ(report()[0].signal, 0);
  EXPECT_EQ(report()[1].signal, SIGSEGV);
  EXPECT_EQ(report()[1].exit_code, -1);
  EXPECT_EQ(report()[0].end_number + report()[1].end_number, 3U);
}

TEST_F(RankSetTest, ReadsOutputAndReports) {
  start(
      "echo out$RANK; echo 'No space left on device' >&2; echo fine >&2; "
      "printf 'copies /dev/shm/a\\nresumed 12\\n' > /proc/self/fd/$MEGASCALE_EXECUTOR_REPORT; "
      "sleep 60");
  ASSERT_TRUE(wait_until([&] { return report()[0].resumed_step == 12 && lines.size() == 4; }));
  EXPECT_THAT(lines, Contains("1: fine"));
  EXPECT_EQ(ranks.last_output(), "out0");
  EXPECT_EQ(ranks.copies(), "/dev/shm/a");
  ASSERT_EQ(ranks.findings().size(), 2U);
  EXPECT_EQ(ranks.findings()[0].keyword, "disk full");
  EXPECT_EQ(report()[0].state, RankState::running);
}

// It does so when its batch grows. Without steps it would look as if it had been idle since the start.
TEST_F(RankSetTest, ARankMayReplaceItsRing) {
  start("printf 'resumed 0\\n' > /proc/self/fd/$MEGASCALE_EXECUTOR_REPORT; sleep 60", 1);
  ASSERT_TRUE(wait_until([&] { return report()[0].resumed_step == 0; }));
  const std::int64_t process = report()[0].process_id, second = 1'000'000'000,
                     end_ns = monotonic_ns() + 100 * second;
  const auto expect = [&](std::int64_t steps) {
    const RankReport now = ranks.report(end_ns + second)[0];
    EXPECT_EQ(now.steps_done, steps);
    EXPECT_NEAR(now.idle_seconds, 1, 1e-6);
  };
  write_ring(process, 3, end_ns);
  expect(3);
  std::filesystem::remove(RunDirectory(scratch / "run").ring(0));
  expect(3);
  write_ring(process, 0, end_ns);
  expect(3);
  write_ring(process, 5, end_ns);
  expect(5);
}

TEST_F(RankSetTest, ARankGetsTheEnvironmentOfItsAttempt) {
  start("echo $RANK $WORLD_SIZE $MEGASCALE_RESTART_COUNT >&2");
  ASSERT_TRUE(wait_for_ends());
  start("echo $RANK $WORLD_SIZE $MEGASCALE_RESTART_COUNT >&2");
  ASSERT_TRUE(wait_for_ends());
  EXPECT_THAT(lines, Contains("0: 0 2 0"));
  EXPECT_THAT(lines, Contains("1: 1 2 1"));
}

TEST_F(RankSetTest, AStoppedProcessIsSeen) {
  start("kill -STOP $$", 1);
  EXPECT_TRUE(wait_until([&] { return report()[0].state == RankState::stopped; }));
}

TEST_F(RankSetTest, StopEndsThePoliteAndKillsTheOthersWithTheirChildren) {
  start(
      "if [ $RANK = 1 ]; then trap '' TERM; sleep 1000 & fi; echo ready >&2; "
      "while true; do sleep 0.05; done");
  ASSERT_TRUE(wait_until([&] { return lines.size() == 2; }));
  ranks.stop(monotonic_ns(), 0.2);
  ASSERT_TRUE(wait_for_ends());
  EXPECT_EQ(report()[0].signal, SIGTERM);
  EXPECT_EQ(report()[1].signal, SIGKILL);
  EXPECT_FALSE(ranks.deadline_ns());
}

TEST_F(RankSetTest, StopWaitsForNoStoppedProcess) {
  start("if [ $RANK = 1 ]; then kill -STOP $$; fi; sleep 1000");
  ASSERT_TRUE(wait_until([&] { return report()[1].state == RankState::stopped; }));
  ranks.stop(monotonic_ns(), /*grace_seconds=*/1000);
  ASSERT_TRUE(wait_for_ends());
  EXPECT_EQ(report()[1].signal, SIGKILL);
}

TEST_F(RankSetTest, AStartEndsTheAttemptBefore) {
  start("trap '' TERM; echo $$ >&2; while true; do sleep 0.05; done", 1);
  ASSERT_TRUE(wait_until([&] { return lines.size() == 1; }));
  const pid_t before = report()[0].process_id;
  start("exit 0", 1);
  EXPECT_NE(::kill(before, 0), 0);
  ASSERT_TRUE(wait_for_ends());
  EXPECT_EQ(report()[0].exit_code, 0);
}

TEST_F(RankSetTest, ALineWithoutEndAndAFloodAreTaken) {
  start("head -c 100000 /dev/zero | tr '\\0' x >&2; printf '\\nlast' >&2", 1);
  ASSERT_TRUE(wait_for_ends());
  ASSERT_EQ(lines.back(), "0: last");
  std::size_t bytes = 0;
  for (const std::string& line : lines) bytes += line.size() - 3;
  EXPECT_EQ(bytes, 100'004U);
}

}  // namespace
}  // namespace megascale::control
