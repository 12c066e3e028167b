#ifndef MEGASCALE_CONTROL_DRIVER_SETTINGS_H_
#define MEGASCALE_CONTROL_DRIVER_SETTINGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace megascale::control {

// What a driver must know about its job and its rules. The job record stores it, so that a driver
// that comes back goes on with the same values.
struct DriverSettings {
  std::uint32_t world_size = 1;
  std::vector<std::string> arguments;  // the command line of every rank
  bool acts = true;                    // false: observe mode, which only says what it would do
  double heartbeat_seconds = 1;
  double lease_seconds = 30;
  double frozen_seconds = 5;
  double frozen_multiple = 10;
  double start_seconds = 600;  // the longest time until all ranks have loaded their state
  double grace_seconds = 2;
  double backoff_seconds = 1;
  double loss_multiple = 5;
  std::int64_t loss_window = 32;
  double slow_share = 0;  // 0: no rank is called slow
  std::int64_t restarts_per_hour = 30;
  std::int64_t fruitless_attempts = 3;
  bool checks = false;  // hosts prove by self-checks that they are fit before they get ranks
  double check_least_share = 0.5;  // of a host's own baseline, that the rates must reach
  // The rest is for jobs on several hosts.
  bool block_bad_hosts = true;  // a replay that proves that a host is at fault takes its ranks away
  std::uint32_t hosts = 1;    // the ranks are divided among so many hosts, the same number on each
  double wait_seconds = 600;  // the longest wait for hosts that replace lost ones
  // The smaller numbers of hosts with which the job may go on, descending, if hosts are missing for so
  // long. Each host has the same number of ranks as before.
  std::vector<std::uint32_t> fewer_hosts;
  double fewer_after_seconds = 60;
  std::string directory;  // the working directory of the ranks
  std::string run_dir, checkpoints;
  std::string session_key;  // of the driver that took the job; empty: none
  bool operator==(const DriverSettings&) const = default;
};
// Returns the command line of a rank of a job of `world_size` ranks.
[[nodiscard]] std::vector<std::string> arguments_for(const DriverSettings& settings,
                                                     std::uint32_t world_size);
[[nodiscard]] std::string to_text(const DriverSettings& settings);
// Throws Error (bad_input).
[[nodiscard]] DriverSettings parse_driver_settings(std::string_view text);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DRIVER_SETTINGS_H_
