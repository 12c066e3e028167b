#ifndef MEGASCALE_CONTROL_DRIVER_STATE_H_
#define MEGASCALE_CONTROL_DRIVER_STATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/control/messages.h"
#include "megascale/control/records.h"

namespace megascale::control {

enum class Phase : std::uint8_t {
  waiting,   // no rank runs; the next attempt starts when not_before_ns is over
  checking,  // self-checks of hosts were ordered; no rank runs
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

// A host that has ranks of an attempt, and the incarnation of the executor that was told to start
// them. Another incarnation does not have them.
struct Member {
  std::string host;
  std::int64_t incarnation = 0;
  bool operator==(const Member&) const = default;
};

// A host that was given up. It may be used again when its quarantine is over.
struct Quarantine {
  std::int64_t times = 0;     // how often it was given up in this session
  std::int64_t until_ns = 0;  // 0: it is over
  bool operator==(const Quarantine&) const = default;
};

// A step that is done again, because its result was in doubt.
struct Replay {
  std::int64_t step = -1;     // counted from 0
  std::int64_t epoch = 0;     // of the attempt with the doubtful result
  std::int64_t incident = 0;  // its number
  bool of_state = false;      // copies of state differed; otherwise the loss was wrong
  std::map<std::uint32_t, StepOutcome> outcomes;  // of the step, by rank
  std::vector<std::string> hosts;                 // of that attempt, in the order of their ranks
  std::string resumed;                            // how the job went on, for the outcome
  bool operator==(const Replay&) const = default;
};

// All that a driver remembers. It is stored with every change, so that a driver that comes back goes
// on exactly there.
struct DriverState {
  std::int64_t session = 0;  // for which the state holds
  std::int64_t term = 0;     // of the newest driver (messages.h)
  // The times of a session are those of the monotonic clock of its first driver's host. That of the
  // newest driver's host shows so much less.
  std::int64_t clock_ns = 0;
  Phase phase = Phase::waiting;
  Attempt attempt;                  // the newest one; epoch 0: none yet
  std::int64_t not_before_ns = 0;   // see Phase::waiting
  std::int64_t furthest_step = 0;   // steps done by the attempts before this one, the highest
  bool caught_up = false;           // this attempt has done more steps than those
  std::int64_t newest_resume = -1;  // the highest resumed_step of the attempts before this one
  std::int64_t fruitless = 0;       // attempts in a row that made no progress
  std::vector<std::int64_t> restarts_ns;  // of the last hour
  std::vector<std::int64_t> committed;    // the newest checkpoints that are in the log, ascending
  std::vector<std::int64_t> copied;       // likewise of copies in memory
  double stall_seconds = 0;               // of this attempt, as far as it is in the log
  std::optional<Incident> incident;       // of this attempt, open
  // Hosts whose heartbeats are missing, with the open incident; its number is 0 if it has become
  // `incident`.
  std::map<std::string, Incident> silent_hosts;
  std::map<std::string, std::int64_t> incarnations;  // of the executors, by host
  std::set<std::string> present;               // hosts whose executors serve the job, spares too
  std::vector<Member> members;                 // hosts of the attempt, in the order of their ranks
  std::map<std::string, std::string> blocked;  // hosts that get no ranks, and why
  std::map<std::string, Quarantine> quarantined;
  // Hosts that have passed the self-checks since the last failure, with their incarnation; and in
  // Phase::checking, the hosts that are checked, with the number of the order.
  std::map<std::string, std::int64_t> checked, checking;
  std::int64_t incidents = 0;        // their number so far
  std::int64_t orders = 0;           // likewise
  std::vector<Order> outstanding;    // orders that were not acknowledged
  std::int64_t load_limit = -1;      // Order::load_at_most of the next attempt; -1: none
  std::optional<Replay> replay;      // whose result is not known yet
  std::int64_t accepted_step = -1;   // losses up to this step were replayed: they are not judged
  bool accepted_is_bad = false;      // the newest of these steps was not finite
  std::int64_t own_jumps = 0;        // of the run itself: their replay had the same result
  std::int64_t observed_epoch = -1;  // in observe mode: a bad outcome was told
  std::vector<std::string> alerts;   // of this attempt that were told: rule and rank
  bool stop_requested = false;
  std::optional<JobEnd> end;  // the end that was decided; the executors may not know it yet
  bool operator==(const DriverState&) const = default;
};
[[nodiscard]] std::string to_text(const DriverState& state);
// Throws Error (bad_input).
[[nodiscard]] DriverState parse_driver_state(std::string_view text);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DRIVER_STATE_H_
