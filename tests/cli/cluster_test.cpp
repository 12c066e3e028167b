// scripts/cluster: two hosts that are namespaces of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "cli/launch_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

const std::string cluster_script = MEGASCALE_SOURCE_DIR "/scripts/cluster";

class ClusterTest : public LaunchTest {
 protected:
  void SetUp() override {
    LaunchTest::SetUp();
    if (::testing::Test::IsSkipped()) return;
    if (::geteuid() != 0) GTEST_SKIP() << "namespaces with shaped links need root";
    const Finished probe = shell(
        "for tool in ip tc nsenter pgrep; do command -v $tool > /dev/null || exit 1; done; "
        "unshare --net --pid --ipc --uts --mount --fork true");
    if (probe.exit_code != 0) GTEST_SKIP() << "no namespaces here: " << probe.err;
  }
  void TearDown() override { cluster("down"); }

  [[nodiscard]] megascale::testing::Setup in_cluster(std::vector<std::string> launcher) const {
    return {.launcher = std::move(launcher),
            .environment = {"MEGASCALE_CLUSTER=" + (space / "cluster").string()}};
  }
  // The script with these words; or any command.
  [[nodiscard]] Finished shell(const std::string& command) const {
    Process process({}, in_cluster({"bash", "-c", command}));
    return process.wait();
  }
  Finished cluster(const std::string& words) const { return shell(cluster_script + " " + words); }

  // The namespaces of the cluster's hosts and its switch.
  [[nodiscard]] std::set<std::string> namespaces() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(space / "cluster")) {
      const std::filesystem::path init = "/proc/" + std::to_string(std::stoi(read(entry.path())));
      for (const char* kind : {"net", "pid", "ipc", "uts", "mnt"})
        found.insert(std::filesystem::read_symlink(init / "ns" / kind));
    }
    return found;
  }
  // Processes in any of them.
  static std::set<std::string> processes_in(const std::set<std::string>& spaces) {
    std::set<std::string> found;
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
      for (const char* kind : {"net", "pid"}) {
        std::error_code gone;
        const auto space = std::filesystem::read_symlink(process.path() / "ns" / kind, gone);
        if (!gone && spaces.contains(space)) found.insert(process.path());
      }
    }
    return found;
  }
};

TEST_F(ClusterTest, RanksOfTwoHostsTrainAsThreadsDoAndNothingIsLeft) {
  const Settings set{"train.train_iters=4", "train.eval_interval=2", "train.eval_iters=1",
                     "parallel.world_size=2"};
  ASSERT_EQ(space.train("threads", set).exit_code, 0);
  const Finished up = cluster("up --hosts 2 --rate 800mbit");
  ASSERT_EQ(up.exit_code, 0) << up;
  EXPECT_THAT(cluster("status").out, HasSubstr("host1: 10.77.0.2, rate 800Mbit"));
  const auto spaces = namespaces();
  ASSERT_EQ(spaces.size(), 3U * 5);
  EXPECT_GE(processes_in(spaces).size(), 3U);

  const Finished again = cluster("up");
  EXPECT_EQ(again.exit_code, 2) << again;
  EXPECT_THAT(again.err, HasSubstr("a cluster is up already"));
  EXPECT_EQ(namespaces(), spaces) << "and is as it was";

  Process process(space.arguments("train", "hosts", set),
                  in_cluster({cluster_script, "run", "--ranks", "2"}));
  const Finished hosts = process.wait();
  EXPECT_EQ(hosts.exit_code, 0) << hosts;
  EXPECT_TRUE(hosts.json().is_object()) << hosts;
  expect_same_run(space / "hosts", space / "threads", 4);

  EXPECT_EQ(cluster("down").exit_code, 0);
  EXPECT_EQ(processes_in(spaces), std::set<std::string>());
  EXPECT_FALSE(std::filesystem::exists(space / "cluster"));
  EXPECT_THAT(cluster("status").out, HasSubstr("no cluster is up"));
}

// Rank 1 cannot train, and rank 0 would wait for it.
TEST_F(ClusterTest, TheFirstRankThatFailsEndsTheOthers) {
  ASSERT_EQ(cluster("up").exit_code, 0);
  const auto spaces = namespaces();
  const std::size_t before = processes_in(spaces).size();
  const Finished failed =
      cluster("run --ranks 2 -- bash -c 'if ((RANK == 1)); then exit 3; fi; exec sleep 1000'");
  EXPECT_EQ(failed.exit_code, 3) << failed;
  EXPECT_EQ(processes_in(spaces).size(), before);
}

TEST_F(ClusterTest, BadArgumentsAreNamed) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"up --hosts", "--hosts: expected a value after it"},
      {"up --hosts 0", "--hosts: expected 1 to 99, found '0'"},
      {"up --hosts two", "--hosts: expected 1 to 99, found 'two'"},
      {"up --rate fast", "--rate: expected such as 800mbit or 1gbit, found 'fast'"},
      {"up --delay 5", "--delay: expected such as 50us or 1ms, found '5'"},
      {"up --speed 5", "up: expected --hosts, --rate or --delay, found '--speed'"},
      {"run true", "no cluster is up"},
      {"run --ranks", "--ranks: expected a value after it"},
      {"run", "run: expected a command"},
      {"explode", "scripts/cluster up [--hosts 2]"}};
  for (const auto& [words, message] : bad) {
    const Finished finished = cluster(words);
    EXPECT_EQ(finished.exit_code, 2) << words << "\n" << finished;
    EXPECT_THAT(finished.err, HasSubstr(message)) << words;
    EXPECT_FALSE(std::filesystem::exists(space / "cluster")) << words;
  }
  ASSERT_EQ(cluster("up").exit_code, 0);
  const Finished odd = cluster("run --ranks 3 -- true");
  EXPECT_EQ(odd.exit_code, 2) << odd;
  EXPECT_THAT(odd.err, HasSubstr("expected ranks in equal number on 2 hosts, found '3'"));
}

}  // namespace
}  // namespace megascale::testing
