#ifndef MEGASCALE_CONTROL_RECORDS_H_
#define MEGASCALE_CONTROL_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the job record holds: plain data that the driver makes and job_record.h stores. All times are
// nanoseconds of the driver's monotonic clock; they can be compared within one session only.
namespace megascale::control {

enum class EntryKind : std::uint8_t {
  session_started,  // the job was started by a person or a scheduler
  session_ended,
  driver_started,        // the driver has begun or come back
  attempt_started,       // the start of the ranks of an epoch was ordered
  attempt_training,      // all state is loaded; `step`: steps that it holds
  attempt_caught_up,     // `step` was never done before: the attempt has repeated all lost steps
  attempt_stopping,      // the end of its ranks was ordered; `seconds`: since their last progress
  attempt_ended,         // all its processes have ended; `step`: steps done
  checkpoint_committed,  // of `step`
  copy_committed,        // a copy of the state in memory, of `step`
  rolled_back,      // the attempt has loaded an older checkpoint than the newest; `step`: which
  incident_opened,  // `seconds`: since the last progress
  consequence,      // an event that an open incident explains, such as the end of a further rank
  incident_closed,
  order_given,
  order_done,
  host_seen,       // an executor has connected, or a new incarnation of it
  refused,         // a message was refused
  host_blocked,    // a host gets no ranks any more
  host_allowed,    // a blocked host may have ranks again
  checks_started,  // self-checks of hosts were ordered
  checks_ended,
  attempt_found,  // attempt `epoch` runs, and the record does not know it: the record is behind
  stall           // `seconds` that the steps of the attempt waited for checkpoints, in all
};
[[nodiscard]] std::string_view to_string(EntryKind kind) noexcept;
[[nodiscard]] std::optional<EntryKind> parse_entry_kind(std::string_view word) noexcept;

// One line of the append-only event log.
struct LogEntry {
  std::int64_t number = 0;  // set by the record: 1, 2, ...
  std::int64_t session = 0;
  std::int64_t time_ns = 0;
  EntryKind kind = EntryKind::session_started;
  std::int64_t epoch = 0;
  std::int64_t rank = -1;     // -1: none
  std::int64_t step = -1;     // -1: none
  std::int64_t incident = 0;  // 0: none
  double seconds = 0;
  std::string text;
  bool operator==(const LogEntry&) const = default;
};

// Evidence -> rule -> action -> outcome.
struct Incident {
  std::int64_t number = 0;
  std::int64_t session = 0, epoch = 0;
  std::int64_t opened_ns = 0, closed_ns = 0;  // closed_ns 0: it is open
  std::string rule;                           // the name of the rule that found it
  std::int64_t rank = -1;                     // -1: no single rank
  std::string host;
  std::int64_t step = -1;  // steps done when it happened
  std::string what;        // one clause: "rank 2 was killed by signal 9 (Killed)"
  std::string evidence, action, outcome;
  bool operator==(const Incident&) const = default;
};

// A file beside the record with the evidence of an incident that is too long for it.
struct Evidence {
  std::int64_t incident = 0;
  std::string text;
};

struct Attempt {
  std::int64_t epoch = 0, session = 0;
  std::int64_t started_ns = 0, ended_ns = 0;  // ended_ns 0: it runs
  std::int64_t resumed_step = -1;             // -1: it has not loaded its state
  std::int64_t steps_done = -1;               // -1: it has done none
  std::string outcome;
  bool operator==(const Attempt&) const = default;
};

struct Node {
  std::string host;
  std::int64_t incarnation = 0;
  std::uint32_t cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string state;  // "connected", "silent"
  bool operator==(const Node&) const = default;
};

// What one event changes, stored in one transaction.
struct Change {
  std::vector<LogEntry> entries;
  std::vector<Incident> incidents;  // new, or with new values
  std::vector<Attempt> attempts;    // likewise
  std::vector<Node> nodes;          // likewise
  [[nodiscard]] bool empty() const noexcept {
    return entries.empty() && incidents.empty() && attempts.empty() && nodes.empty();
  }
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_RECORDS_H_
