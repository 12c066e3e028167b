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
  std::int64_t restarts_per_hour = 30;
  std::int64_t fruitless_attempts = 3;
  bool operator==(const DriverSettings&) const = default;
};
[[nodiscard]] std::string to_text(const DriverSettings& settings);
// Throws Error (bad_input).
[[nodiscard]] DriverSettings parse_driver_settings(std::string_view text);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DRIVER_SETTINGS_H_
