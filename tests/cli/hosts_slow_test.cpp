// A job on several hosts, which are namespaces of this machine (scripts/cluster): real driver,
// executors and ranks over mutual TLS. The end of every run has the bits of an uninterrupted one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <memory>

#include "cli/robust_support.h"

namespace megascale::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kHosts = 3;
constexpr const char* kDriver = "10.77.0.1:29401";

class HostsOfAClusterTest : public RobustTest {
 protected:
  void SetUp() override {
    RobustTest::SetUp();
    if (::testing::Test::IsSkipped()) return;
    if (::geteuid() != 0) GTEST_SKIP() << "namespaces need root";
    const Finished up = shell(std::string(MEGASCALE_SOURCE_DIR) + "/scripts/cluster up --hosts " +
                              std::to_string(kHosts));
    if (up.exit_code != 0) GTEST_SKIP() << "no namespaces here: " << up.err;
    make_credentials();
  }
  void TearDown() override {
    if (HasFailure()) {
      for (const auto& process : started_) std::cerr << process->err() << "----\n";
    }
    (void)shell(std::string(MEGASCALE_SOURCE_DIR) + "/scripts/cluster down");
  }
  [[nodiscard]] Finished shell(const std::string& command) const {
    Process process({}, {.launcher = {"bash", "-c", command},
                         .environment = {"MEGASCALE_CLUSTER=" + (space / "hosts").string()}});
    return process.wait();
  }
  [[nodiscard]] std::string credentials(const std::string& name) const {
    return (space / ("of-" + name)).string();
  }
  // The driver's directory is that of the authority; every host joins once.
  void make_credentials() const {
    ASSERT_EQ(megascale({"cluster", "init", credentials("driver")}).exit_code, 0);
    Process door({"cluster", "serve", credentials("driver"), "--listen", "127.0.0.1:0", "--json"});
    ASSERT_TRUE(has_said(door, "listening at "));
    const std::string said = door.err().substr(door.err().find("listening at ") + 13);
    const std::string address = said.substr(0, said.find(' '));
    const std::string token =
        megascale({"cluster", "token", credentials("driver"), "--uses", "9", "--json"})
            .json()
            .at("token");
    for (int host = 0; host < kHosts; ++host) {
      const std::string name = "host" + std::to_string(host);
      ASSERT_EQ(megascale({"cluster", "join", address, token, credentials(name), "--name", name})
                    .exit_code,
                0);
    }
  }
  // A command in the namespaces of a host.
  [[nodiscard]] std::vector<std::string> inside(int host) const {
    const std::string init = read(space / "hosts" / ("init." + std::to_string(host)));
    return {"nsenter",
            "--all",
            "--wd=" + (space / "").string(),
            "--target",
            std::to_string(std::stoi(init)),
            "--"};
  }
  Process& start(int host, const std::vector<std::string>& arguments,
                 bool again_if_killed = false) {
    std::vector<std::string> launcher = inside(host);
    if (again_if_killed) {
      launcher.insert(launcher.end(),
                      {"bash", "-c",
                       "while true; do \"$@\"; code=$?; [ $code = 137 ] || exit $code; done", "-"});
    }
    started_.push_back(
        std::make_unique<Process>(arguments, megascale::testing::Setup{.launcher = launcher}));
    return *started_.back();
  }
  Process& start_driver(const char* run) {
    return start(0,
                 {"driver", (space / run).string(), "--listen", kDriver, "--credentials",
                  credentials("driver"), "--json"},
                 /*again_if_killed=*/true);
  }
  Process& start_executor(int host, bool again_if_killed = false) {
    return start(host,
                 {"executor", "--driver", kDriver, "--credentials",
                  credentials("host" + std::to_string(host)), "--json"},
                 again_if_killed);
  }
  // Four ranks on two hosts.
  void submit(const char* run, const Settings& more) {
    std::vector<std::string> command = space.arguments("submit", run, four_ranks(kRobust));
    for (const std::string& one : more) command.insert(command.end(), {"--set", one});
    command.insert(command.end(),
                   {"--hosts", "2", "--driver", kDriver, "--credentials", credentials("driver")});
    const Finished submitted = start(0, command).wait();
    ASSERT_EQ(submitted.exit_code, 0) << submitted;
  }
  // Waits for a state of the job as its record tells it.
  template <class Condition>
  bool wait_for(Process& driver, const char* run, const Condition& condition) const {
    return driver.wait_until([&] {
      if (!std::filesystem::exists(space / run / "control/job.sqlite")) return false;
      const Finished asked = of_run("status", run);
      return asked.exit_code == 0 && condition(asked.json());
    });
  }
  bool wait_for_attempt(Process& driver, const char* run, int attempt, int checkpoint) const {
    return wait_for(driver, run, [&](const nlohmann::json& now) {
      return now.value("attempt", 0) == attempt && now.value("phase", "") == "training" &&
             now.value("checkpoint", -1) >= checkpoint;
    });
  }
  // The process of this binary whose command line has these words one after the other.
  [[nodiscard]] static pid_t process_with(const std::string& words) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::error_code gone;
      const auto program = std::filesystem::read_symlink(entry.path() / "exe", gone);
      if (gone || program.filename() != "megascale") continue;
      std::string command = read(entry.path() / "cmdline");
      std::replace(command.begin(), command.end(), '\0', ' ');
      if (command.find(words) != std::string::npos) return std::stoi(name);
    }
    return -1;
  }
  // Cuts a host's cable, or plugs it in again.
  void set_link(int host, const char* state) const {
    const Finished set =
        shell("nsenter --net --target $(cat \"$MEGASCALE_CLUSTER/switch\") ip link set port" +
              std::to_string(host) + " " + state);
    ASSERT_EQ(set.exit_code, 0) << set;
  }
  void train_without_faults(const char* run, const Settings& more) const {
    Settings set = four_ranks(kRobust);
    set.insert(set.end(), more.begin(), more.end());
    ASSERT_EQ(space.train(run, set).exit_code, 0);
  }
  [[nodiscard]] static std::string state_of(const nlohmann::json& status, const char* host) {
    for (const auto& one : status.at("hosts"))
      if (one.at("host") == host) return one.at("state");
    return "unknown";
  }

  std::vector<std::unique_ptr<Process>> started_;
};

const Settings kShort{"train.train_iters=600", "control.lease_seconds=8",
                      "control.timeout_seconds=60"};

TEST_F(HostsOfAClusterTest, RanksDriverAndExecutorsDieAndNoBitIsLost) {
  train_without_faults("whole", kShort);
  Process& driver = start_driver("run");
  start_executor(0, /*again_if_killed=*/true);
  start_executor(1, /*again_if_killed=*/true);
  submit("run", kShort);
  ASSERT_TRUE(wait_for_attempt(driver, "run", 1, 10));
  ASSERT_EQ(::kill(processes_of(space / "run").at(3), SIGKILL), 0);
  ASSERT_TRUE(wait_for_attempt(driver, "run", 2, 20));
  const std::int64_t before = of_run("status", "run").json().at("steps_done");
  const pid_t first = process_with("driver " + (space / "run").string());
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_TRUE(wait_for(driver, "run", [&](const nlohmann::json& now) {
    return now.value("driver_lives", false) && now.value("steps_done", 0) > before + 20;
  }));
  EXPECT_NE(process_with("driver " + (space / "run").string()), first);
  EXPECT_EQ(of_run("status", "run").json().at("attempt"), 2) << "the ranks go on";
  ASSERT_EQ(::kill(process_with(credentials("host1")), SIGKILL), 0);
  ASSERT_TRUE(wait_for_attempt(driver, "run", 3, 30));
  EXPECT_EQ(driver.wait(120).exit_code, 0);
  expect_same_run(space / "run", space / "whole", 600);
  const auto all = incidents("run");
  ASSERT_EQ(all.size(), 2U) << all;
  EXPECT_EQ(all[0].at("rule"), "dead_process");
  EXPECT_EQ(all[0].at("rank"), 3);
  EXPECT_EQ(all[0].at("host"), "host1");
  EXPECT_EQ(all[1].at("rule"), "new_executor");
  EXPECT_EQ(all[1].at("host"), "host1");
  expect_sound("run", 2);
}

TEST_F(HostsOfAClusterTest, ASpareTakesThePlaceOfAHostThatDies) {
  train_without_faults("whole", kShort);
  Process& driver = start_driver("run");
  for (int host = 0; host < 2; ++host) start_executor(host);
  submit("run", kShort);
  ASSERT_TRUE(wait_for_attempt(driver, "run", 1, 10));
  Process& spare = start_executor(2);
  ASSERT_TRUE(has_said(spare, "serves job"));
  // The first process of the host: all others end with it.
  ASSERT_EQ(::kill(std::stoi(read(space / "hosts/init.1")), SIGKILL), 0);
  ASSERT_TRUE(wait_for_attempt(driver, "run", 2, 10));
  EXPECT_EQ(state_of(of_run("status", "run").json(), "host2"), "member");
  EXPECT_EQ(driver.wait(120).exit_code, 0);
  expect_same_run(space / "run", space / "whole", 600);
  const auto all = incidents("run");
  ASSERT_EQ(all.size(), 1U) << all;
  EXPECT_EQ(all[0].at("rule"), "missing_heartbeat");
  EXPECT_EQ(all[0].at("host"), "host1");
  expect_sound("run", 1);
}

TEST_F(HostsOfAClusterTest, AShortPartitionRestartsNothingAndALongOneEvicts) {
  // Long enough that the job still runs when the host comes back.
  const Settings settings{"train.train_iters=4000",        "train.log_interval=1000",
                          "optimizer.lr_decay_iters=4000", "checkpoint.interval=100",
                          "control.lease_seconds=8",       "control.timeout_seconds=60"};
  train_without_faults("whole", settings);
  Process& driver = start_driver("run");
  start_executor(0);
  Process& divided = start_executor(1);
  submit("run", settings);
  ASSERT_TRUE(wait_for_attempt(driver, "run", 1, 100));
  Process& spare = start_executor(2);
  ASSERT_TRUE(has_said(spare, "serves job"));
  const std::int64_t before = of_run("status", "run").json().at("steps_done");
  set_link(1, "down");
  ::usleep(2'000'000);
  set_link(1, "up");
  ASSERT_TRUE(wait_for(driver, "run", [&](const nlohmann::json& now) {
    return now.value("steps_done", 0) > before + 50;
  }));
  EXPECT_EQ(of_run("status", "run").json().at("attempt"), 1);

  // The ranks of the host are stopped, so that they do not end before the host is back.
  const auto ranks = processes_of(space / "run");
  set_link(1, "down");
  for (const int rank : {2, 3}) ASSERT_EQ(::kill(ranks.at(rank), SIGSTOP), 0);
  ASSERT_TRUE(wait_for_attempt(driver, "run", 2, 100));
  EXPECT_EQ(state_of(of_run("status", "run").json(), "host2"), "member");
  set_link(1, "up");
  ASSERT_TRUE(has_said(divided, "which is over: it was given up"));
  ASSERT_TRUE(wait_for(
      driver, "run", [&](const nlohmann::json& now) { return state_of(now, "host1") == "spare"; }));
  EXPECT_EQ(driver.wait(120).exit_code, 0);
  EXPECT_EQ(of_run("status", "run").json().at("attempt"), 2);
  expect_same_run(space / "run", space / "whole", 4000);
  EXPECT_EQ(divided.wait().exit_code, 0) << "a spare is released with the job";
}

}  // namespace
}  // namespace megascale::testing
