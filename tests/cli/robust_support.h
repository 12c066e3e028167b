#ifndef MEGASCALE_TESTS_CLI_ROBUST_SUPPORT_H_
#define MEGASCALE_TESTS_CLI_ROBUST_SUPPORT_H_

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cli/launch_support.h"
#include "megascale/base/philox.h"
#include "support/sanitizer.h"

// Jobs with --robust.
namespace megascale::testing {

// A checkpoint every 10 steps, and no end: a run is never over before the test disturbs it, on no
// machine. Tests stop() it, or set train.train_iters. Waits are short, but no load of the machine
// makes a rank that runs count as frozen.
inline const Settings kRobust{"train.train_iters=1000000",      "train.log_interval=50",
                              "optimizer.lr_decay_iters=300",   "train.eval_interval=0",
                              "checkpoint.interval=10",         "checkpoint.keep_last=3",
                              "control.heartbeat_seconds=0.2",  "control.frozen_seconds=1.0",
                              "control.frozen_multiple=100000", "control.backoff_seconds=0.05"};

class RobustTest : public LaunchTest {
 protected:
  // When a process ends, the address sanitizer stops it with ptrace and looks for leaks. On a busy machine that takes
  // longer than control.frozen_seconds, so the driver takes the process for one that was stopped. Other tests of
  // ranks that are processes look for leaks. The library of faults is loaded before the sanitizer's (LD_PRELOAD).
  static void SetUpTestSuite() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the test has one thread
    if (kSanitizer == kAddressSanitizer)
      ::setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0", /*replace=*/0);
  }
  [[nodiscard]] std::vector<std::string> robust(const char* run, const Settings& more = {}) const {
    Settings set = four_ranks(kRobust);
    set.insert(set.end(), more.begin(), more.end());
    return with(space.arguments("train", run, set), "--robust");
  }
  [[nodiscard]] Finished of_run(const char* command, const char* run) const {
    return megascale({command, (space / run).string(), "--json"});
  }
  [[nodiscard]] nlohmann::json status(const char* run) const {
    return of_run("status", run).json();
  }
  [[nodiscard]] nlohmann::json incidents(const char* run) const {
    return of_run("incidents", run).json().at("incidents");
  }
  // Ends a run while its attempt trains and every incident is over; it saves.
  [[nodiscard]] Finished stop(Process& process, const char* run, int attempt) const {
    EXPECT_TRUE(trains(process, run, attempt, -1)) << process.err();
    EXPECT_TRUE(process.wait_until([&] {
      const auto all = incidents(run);
      return std::none_of(all.begin(), all.end(), [](const auto& one) { return one.at("open"); });
    })) << process.err();
    process.send(SIGTERM);
    return process.wait(120);
  }
  // The stopped run, made with `more`, has the bits of a run of as many steps without a fault.
  void expect_bits_of_whole_run(const char* run, const Finished& done,
                                const Settings& more = {}) const {
    const std::int64_t steps = done.json().at("steps_done");
    Settings whole = four_ranks(kRobust);
    whole.insert(whole.end(), more.begin(), more.end());
    whole.push_back("train.train_iters=" + std::to_string(steps));
    ASSERT_EQ(space.train("whole", whole).exit_code, 0);
    expect_same_run(space / run, space / "whole", steps);
  }
  // The record keeps the invariants, the ledger adds up, and there is one incident for each fault.
  void expect_sound(const char* run, std::size_t faults) const {
    const Finished checked = megascale({"status", (space / run).string(), "--check", "--json"});
    EXPECT_EQ(checked.exit_code, 0) << checked;
    const auto json = checked.json();
    EXPECT_EQ(json.at("violations").size(), 0U) << checked;
    EXPECT_EQ(json.at("incidents"), faults) << checked;
    double sum = 0;
    for (const auto& [bucket, seconds] : json.at("seconds").items())
      if (bucket != "wall") sum += seconds.get<double>();
    const double wall = json.at("seconds").at("wall");
    EXPECT_GT(wall, 0);
    EXPECT_NEAR(sum, wall, 1e-3 * wall) << checked;
  }
  // Waits until the attempt trains and its newest checkpoint is at least that of `step`.
  [[nodiscard]] bool trains(Process& process, const char* run, int attempt,
                            std::int64_t step) const {
    return process.wait_until([&] {
      if (!std::filesystem::exists(space / run / "control/job.sqlite")) return false;
      const Finished asked = of_run("status", run);
      if (asked.exit_code != 0) return false;
      const nlohmann::json now = asked.json();
      return now.value("attempt", 0) == attempt && now.value("phase", "") == "training" &&
             now.value("checkpoint", -1) >= step;
    });
  }
  // Kills each of `victims` in an attempt of its own, at a random moment after the attempt has begun
  // to train, and waits until the next attempt resumes.
  void kill_ranks(Process& process, const char* run, const std::vector<int>& victims,
                  std::uint64_t seed) const {
    const PhiloxStream random(seed, "moments of kills");
    for (std::size_t i = 0; i < victims.size(); ++i) {
      const int attempt = static_cast<int>(i) + 1;
      ASSERT_TRUE(trains(process, run, attempt, i == 0 ? 10 : -1)) << process.err();
      ::usleep(static_cast<unsigned>(random.bits(i) % 100'000));
      ASSERT_EQ(::kill(processes_of(space / run).at(victims[i]), SIGKILL), 0);
      const std::string resumes = "attempt " + std::to_string(attempt + 1) + " resumes";
      ASSERT_TRUE(has_said(process, resumes.c_str())) << process.err();
    }
  }
  // The driver of a run: its command line names the run directory.
  [[nodiscard]] pid_t driver_of(const char* run) const {
    const std::string folder = (space / run).string();
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::string command = read(entry.path() / "cmdline");
      std::replace(command.begin(), command.end(), '\0', ' ');
      if (command.starts_with("megascale driver " + folder)) return std::stoi(name);
    }
    return -1;
  }
  void expect_nothing_left(const char* run) const {
    const auto is_gone = [&] { return processes_of(space / run).empty() && driver_of(run) < 0; };
    for (int i = 0; i < 500 && !is_gone(); ++i) ::usleep(10'000);
    EXPECT_TRUE(is_gone());
  }
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_ROBUST_SUPPORT_H_
