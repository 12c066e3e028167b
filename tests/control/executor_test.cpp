// An executor with a driver in the same process, and ranks that are shells.
#include "megascale/control/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/control/driver.h"
#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

using megascale::testing::ScratchDirectory;
using ::testing::HasSubstr;

// A link to a driver that answers at once. It may be cut for some time.
class LocalLink final : public Link {
 public:
  explicit LocalLink(DriverSettings settings) : driver_("j", 1, std::move(settings), {}) {
    (void)driver_.begin(monotonic_ns());
  }
  void service(std::int64_t now_ns) override {
    if (!cut) note(driver_.tick(now_ns));
  }
  [[nodiscard]] bool ready() const override { return !cut; }
  void send(const Heartbeat& heartbeat, std::int64_t now_ns) override {
    reply_ = note(driver_.heartbeat(heartbeat, now_ns));
    if (on_heartbeat) on_heartbeat(heartbeat);
  }
  [[nodiscard]] std::optional<Reply> receive() override { return std::exchange(reply_, {}); }
  void add_to(std::vector<pollfd>&) const override {}
  [[nodiscard]] std::optional<std::string> hopeless() const override { return std::nullopt; }

  std::atomic<bool> cut = false;
  std::function<void(const Heartbeat&)> on_heartbeat;
  std::map<std::int64_t, Incident> incidents;

 private:
  Reply note(Driver::Step step) {
    for (const Incident& incident : step.change.incidents) incidents[incident.number] = incident;
    return std::move(step.reply);
  }
  Driver driver_;
  std::optional<Reply> reply_;
};

constexpr double kHeartbeatSeconds = 60;

class ExecutorTest : public ::testing::Test {
 protected:
  static DriverSettings settings_of(const std::string& script) {
    return {.world_size = 2,
            .arguments = {"sh", "-c", script},
            .heartbeat_seconds = kHeartbeatSeconds,
            .grace_seconds = 0.2,
            .backoff_seconds = 0};
  }
  ExecutorEnd run(LocalLink& link) const {
    Executor::Options options;
    options.job = "j";
    options.host = "a";
    options.heartbeat_seconds = kHeartbeatSeconds;
    options.run_dir = options.checkpoints = scratch / "run";
    options.program = "/bin/sh";
    Executor executor(std::move(options), link);
    return executor.run();
  }
  const ScratchDirectory scratch;
};

TEST_F(ExecutorTest, RunsAJobToItsEnd) {
  LocalLink link(settings_of("echo '{}'; exit 0"));
  const ExecutorEnd end = run(link);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.output, "{}");
  EXPECT_TRUE(link.incidents.empty());
}

// The heartbeats are a minute apart; the end of a rank is told at once.
TEST_F(ExecutorTest, AFailedRankIsReplacedLongBeforeTheNextHeartbeat) {
  LocalLink link(settings_of(
      "if [ $MEGASCALE_RESTART_COUNT = 1 ]; then exit 0; fi; "
      "if [ $RANK = 1 ]; then sleep 0.2; kill -9 $$; fi; while true; do sleep 0.05; done"));
  const std::int64_t begin_ns = monotonic_ns();
  const ExecutorEnd end = run(link);
  EXPECT_EQ(end.exit_code, 0);
  ASSERT_EQ(link.incidents.size(), 1U);
  EXPECT_EQ(link.incidents.at(1).rank, 1);
  EXPECT_LT(static_cast<double>(monotonic_ns() - begin_ns) * 1e-9, kHeartbeatSeconds);
}

TEST_F(ExecutorTest, RanksGoOnWhileTheDriverIsAway) {
  const auto mark = scratch / "mark";
  LocalLink link(settings_of("sleep 0.5; echo x >> " + mark.string() + "; exit 0"));
  int heartbeats = 0;
  link.on_heartbeat = [&](const Heartbeat& heartbeat) {
    ++heartbeats;
    link.cut = heartbeat.epoch == 1 && !std::filesystem::exists(mark);
  };
  // The driver comes back when the ranks have done their work without it.
  std::thread healer([&] {
    while (!std::filesystem::exists(mark))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    link.cut = false;
  });
  const ExecutorEnd end = run(link);
  healer.join();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(link.incidents.empty());
}

TEST_F(ExecutorTest, TheReasonOfTheEndIsTold) {
  LocalLink link(settings_of("exit 2"));
  const ExecutorEnd end = run(link);
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.error, HasSubstr("ended with exit code 2"));
}

}  // namespace
}  // namespace megascale::control
