// A kill by the system for lack of memory is told from other kills by the counter of the group, in
// both versions of control groups.
#include "megascale/control/oom_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

class OomWatchTest : public ::testing::Test {
 protected:
  // `memberships`: what /proc/7/cgroup says; `counter`: the counter's path below the groups.
  void expect_seen(const std::string& memberships, const std::string& counter) {
    std::filesystem::create_directories(scratch / "proc/7");
    std::filesystem::create_directories((scratch / "groups" / counter).parent_path());
    scratch.write("proc/7/cgroup", memberships);
    const auto set = [&](const char* text) { scratch.write("groups/" + counter, text); };
    set("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    OomWatch watch(scratch / "proc", scratch / "groups");
    watch.note(7);
    EXPECT_FALSE(watch.has_grown());
    set("oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
    EXPECT_TRUE(watch.has_grown());
    watch.note(7);
    EXPECT_FALSE(watch.has_grown());
  }
  const testing::ScratchDirectory scratch;
};

TEST_F(OomWatchTest, ReadsGroupsOfVersionTwo) {
  expect_seen("0::/job/ranks\n", "job/ranks/memory.events");
}

TEST_F(OomWatchTest, ReadsGroupsOfVersionOne) {
  expect_seen("9:pids:/\n4:memory:/job\n0::/\n", "memory/job/memory.oom_control");
}

TEST_F(OomWatchTest, WithoutAGroupNothingIsSeen) {
  OomWatch watch(scratch / "proc", scratch / "groups");
  EXPECT_FALSE(watch.has_grown());
  watch.note(7);
  EXPECT_FALSE(watch.has_grown());
  OomWatch own;
  own.note(::getpid());
  EXPECT_FALSE(own.has_grown());
}

}  // namespace
}  // namespace megascale::control
