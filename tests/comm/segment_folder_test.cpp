#include "megascale/comm/ucx/segment_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "megascale/comm/ucx/endpoint_record.h"
#include "megascale/comm/ucx/ucx_worker.h"
#include "support/scratch_directory.h"

namespace megascale::comm {
namespace {

// The id of a process that has ended and was waited for.
pid_t ended_process() {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  ::waitpid(pid, nullptr, 0);
  return pid;
}

TEST(SegmentFolderTest, OnlyFoldersOfEndedProcessesAreRemoved) {
  const testing::ScratchDirectory root;
  const EndpointRecord self = EndpointRecord::of_this_process();
  const auto folder = [&](std::uint64_t space, pid_t pid, std::uint64_t ticks) {
    const std::string name = fmt::format("megascale-{}-{}-{}-{}", ::geteuid(), space, pid, ticks);
    std::filesystem::create_directory(root / name);
    root.write(name + "/ucx_shm_posix_1a2b", "bytes");
    return name;
  };
  const pid_t ended = ended_process();
  std::vector<std::string> left{
      folder(self.pid_space, self.pid, self.start_ticks),    // runs
      folder(self.pid_space + 1, ended, self.start_ticks)};  // cannot be seen from here
  const std::string dead = folder(self.pid_space, ended, self.start_ticks);
  const std::string reused = folder(self.pid_space, self.pid, self.start_ticks + 1);
  const std::string foreign = folder(self.pid_space, ended, 7);
  root.write(foreign + "/notes", "of somebody");
  std::filesystem::create_directory(root / "target");
  root.write("target/ucx_shm_posix_3", "bytes");
  const std::string link = fmt::format("megascale-{}-{}-{}-9", ::geteuid(), self.pid_space, ended);
  std::filesystem::create_directory_symlink(root / "target", root / link);
  for (const std::string& name : {foreign, std::string("target"), link}) left.push_back(name);
  std::sort(left.begin(), left.end());
  SegmentFolder::remove_dead(root / "");
  EXPECT_EQ(root.list(), left);
  EXPECT_TRUE(std::filesystem::exists(root / foreign / "notes"));
  EXPECT_TRUE(std::filesystem::exists(root / "target/ucx_shm_posix_3"));
}

// The paths of UCX's files that this process has mapped.
std::set<std::string> mapped_segments() {
  std::set<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("ucx_shm_posix_") != std::string::npos) paths.insert(line.substr(line.find('/')));
  }
  return paths;
}

// UCX puts its files where it was told, and the next start removes what a killed one has left.
TEST(SegmentFolderTest, UcxUsesTheFolder) {
  if (!ucx_is_available()) GTEST_SKIP() << "built without UCX";
  std::filesystem::path path, left;
  {
    const auto folder = SegmentFolder::of_this_process();
    if (!folder) GTEST_SKIP() << "no folder in /dev/shm";
    path = folder->path();
    const auto before = mapped_segments();  // of workers of other tests: UCX keeps some mapped
    Wakeup wakeup;
    const UcxWorker worker(wakeup, {.transports = "posix,self"});
    std::size_t added = 0;
    for (const std::string& segment : mapped_segments()) {
      if (before.contains(segment)) continue;
      ++added;
      EXPECT_TRUE(segment.starts_with(path.string())) << segment;
    }
    EXPECT_GT(added, 0U);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  left = path.string() + "9";  // of an earlier process with the same number
  std::filesystem::create_directory(left);
  std::ofstream(left / "ucx_shm_posix_77") << "bytes";
  const auto folder = SegmentFolder::of_this_process();
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(folder && std::filesystem::exists(folder->path()));
  ::unsetenv("UCX_POSIX_DIR");
}

}  // namespace
}  // namespace megascale::comm
