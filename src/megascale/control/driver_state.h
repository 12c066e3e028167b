#ifndef MEGASCALE_CONTROL_DRIVER_STATE_H_
#define MEGASCALE_CONTROL_DRIVER_STATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/control/messages.h"
#include "megascale/control/records.h"

namespace megascale::control {

enum class Phase : std::uint8_t {
  waiting,   // no rank runs; the next attempt starts when not_before_ns is over
  starting,  // the start of an attempt was ordered; its ranks have not all loaded their state
  training,
  stopping,  // the end of all ranks was ordered
  ended      // the executors are released
};
[[nodiscard]] std::string_view to_string(Phase phase) noexcept;

// How a job ends.
struct JobEnd {
  std::int32_t exit_code = 0;
  std::string text;  // why; empty: all steps are done, or a person has stopped the job
  bool operator==(const JobEnd&) const = default;
};

// All that a driver remembers. It is stored with every change, so that a driver that comes back goes
// on exactly there.
struct DriverState {
  std::int64_t session = 0;  // for which the state holds
  Phase phase = Phase::waiting;
  Attempt attempt;                  // the newest one; epoch 0: none yet
  std::int64_t not_before_ns = 0;   // see Phase::waiting
  std::int64_t furthest_step = 0;   // steps done by the attempts before this one, the highest
  bool caught_up = false;           // this attempt has done more steps than those
  std::int64_t newest_resume = -1;  // the highest resumed_step of the attempts before this one
  std::int64_t fruitless = 0;       // attempts in a row that made no progress
  std::vector<std::int64_t> restarts_ns;  // of the last hour
  std::vector<std::int64_t> committed;    // the newest checkpoints that are in the log, ascending
  double stall_seconds = 0;               // of this attempt, as far as it is in the log
  std::optional<Incident> incident;       // of this attempt, open
  // Hosts whose heartbeats are missing, with the open incident; its number is 0 if it has become
  // `incident`.
  std::map<std::string, Incident> silent_hosts;
  std::map<std::string, std::int64_t> incarnations;  // of the executors, by host
  std::int64_t incidents = 0;                        // their number so far
  std::int64_t orders = 0;                           // likewise
  std::vector<Order> outstanding;                    // orders that were not acknowledged
  bool stop_requested = false;
  std::optional<JobEnd> end;  // the end that was decided; the executors may not know it yet
  bool operator==(const DriverState&) const = default;
};
[[nodiscard]] std::string to_text(const DriverState& state);
// Throws Error (bad_input).
[[nodiscard]] DriverState parse_driver_state(std::string_view text);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DRIVER_STATE_H_
