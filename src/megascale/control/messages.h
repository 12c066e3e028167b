#ifndef MEGASCALE_CONTROL_MESSAGES_H_
#define MEGASCALE_CONTROL_MESSAGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/rank_position.h"
#include "megascale/base/step_outcome.h"
#include "megascale/control/interface_counters.h"

// The messages between a driver and its executors. An executor sends heartbeats; the reply to each
// carries the orders that the executor has not yet carried out. The structs are plain data. They
// travel as JSON text (message_text.h) and may travel in another form.
//
// Four numbers order the messages:
//   term         of a driver: grows whenever one on another host takes a job over
//   epoch        of an attempt: grows by one whenever the ranks of a job are started
//   incarnation  of an executor: grows whenever the executor of a host is started
//   sequence     of a heartbeat within one incarnation
namespace megascale::control {

enum class RankState : std::uint8_t {
  running,  // its process exists
  stopped,  // its process exists, and SIGSTOP or a debugger has stopped it
  ended
};
[[nodiscard]] std::string_view to_string(RankState state) noexcept;

// What an executor knows about one of its ranks.
struct RankReport {
  std::uint32_t rank = 0;
  std::int32_t process_id = 0;
  RankState state = RankState::running;
  std::int32_t exit_code = -1;  // of an ended process; -1: a signal has ended it
  std::int32_t signal = 0;      // that has ended the process; 0: none
  bool out_of_memory = false;   // the system has ended it, because its control group was full
  // The place of this end among the ends of the attempt's ranks on this host, from 1; 0: not ended.
  std::uint32_t end_number = 0;
  // Steps of the state that the rank has loaded or initialized; -1: it has not come so far.
  std::int64_t resumed_step = -1;
  std::int64_t steps_done = -1;  // -1: it has recorded no step
  std::uint32_t tasks_done = 0;  // of the step that has begun
  bool in_step = false;          // a step has begun and not ended
  // Seconds since the rank has last done a task or begun or ended a step. Since it has loaded its
  // state, if it has recorded no step. Since it was started, if it has not loaded it.
  double idle_seconds = 0;
  double step_seconds = 0;  // of the newest step that has ended; 0: none has
  // Of a rank that has been idle for a while, to find the one that holds up the others.
  std::optional<RankPosition> position;
  // The outcomes of steps that were not reported before, ascending; of all of them, or of some if
  // they are many. With them the names of the groups in StepOutcome::digests, and the digest of the
  // plan: ranks with the same plan do the same work.
  std::uint64_t plan = 0;
  std::vector<std::uint64_t> groups;
  std::vector<StepOutcome> outcomes;
  bool operator==(const RankReport&) const = default;
};

// A line of a rank's output that holds a known keyword (keywords.h).
struct Finding {
  std::uint32_t rank = 0;
  std::string keyword, line;
  bool operator==(const Finding&) const = default;
};

struct HostFacts {
  std::uint32_t cores = 0;
  std::uint64_t memory_bytes = 0;
  bool operator==(const HostFacts&) const = default;
};

// The rendezvous store of an attempt, which the executor of its first host runs for all hosts. The
// secret is never stored: the driver passes it on from heartbeat to order.
struct Rendezvous {
  std::string store;   // its address; empty: this executor runs none for other hosts
  std::string secret;  // of the attempt
  bool operator==(const Rendezvous&) const = default;
};

// The result of the self-checks that an order has asked for.
struct CheckResult {
  std::int64_t order = 0;  // its number; 0: there is no result
  bool passed = false;
  std::string text;          // what has failed
  std::string kind, digest;  // of the compute test (diagnose/check.h)
  bool operator==(const CheckResult&) const = default;
};

struct Heartbeat {
  std::string job, host;
  std::int64_t incarnation = 0;
  std::int64_t sequence = 0;
  std::int64_t term = 0;          // the highest one of the drivers that it has heard of; 0: none
  std::int64_t epoch = 0;         // of the attempt whose ranks the executor has; 0: none yet
  std::int64_t acknowledged = 0;  // the highest number of the orders that it has carried out
  bool stop_requested = false;    // a person has asked this host to stop the job
  bool leaving = false;           // the executor has no ranks and ends now
  std::string address;            // where other hosts reach this one; empty: nowhere
  Rendezvous rendezvous;          // of the epoch
  HostFacts facts;
  std::vector<RankReport> ranks;  // of the epoch, ascending
  std::vector<Finding> findings;  // of the epoch, the newest ones
  std::vector<InterfaceCounters> interfaces;
  std::vector<std::int64_t> checkpoints;  // steps of committed checkpoints, the newest ones
  std::vector<std::int64_t> copies;       // likewise of copies of the state in memory
  double stall_seconds = 0;               // time that steps waited for checkpoints, in this epoch
  CheckResult check;                      // of the newest order of self-checks
  bool operator==(const Heartbeat&) const = default;
};

enum class OrderKind : std::uint8_t {
  start,   // start the ranks of a new epoch
  stop,    // end all ranks of the epoch: SIGTERM, and after `grace_seconds` SIGKILL
  check,   // run the self-checks of the host; no rank runs meanwhile
  save,    // ask all ranks of the epoch to save and end (SIGTERM)
  release  // the job has ended: end with `exit_code`
};
[[nodiscard]] std::string_view to_string(OrderKind kind) noexcept;

struct Order {
  std::int64_t number = 0;  // grows from order to order; an executor carries out each once
  std::string host;
  OrderKind kind = OrderKind::start;
  std::int64_t epoch = 0;
  // Of start: the ranks first_rank to first_rank + ranks - 1, and the command line of each. Of check:
  // options of `megascale diagnose`.
  std::uint32_t first_rank = 0, ranks = 0, world_size = 0;
  std::vector<std::string> arguments;
  std::string listen;     // of start with rank 0: where the store listens; empty: on this host only
  Rendezvous rendezvous;  // of start without rank 0: the store that runs on the host of rank 0
  std::int64_t load_at_most = -1;  // of start: the most steps of a state to load; -1: no limit
  double grace_seconds = 0;        // of stop
  std::int32_t exit_code = 0;      // of release
  std::string text;                // of release: why, for people; empty: the job has succeeded
  bool operator==(const Order&) const = default;
};

// The driver tells a refused executor what to do.
enum class Refusal : std::uint8_t {
  none,
  ignore,  // this driver is not that of the newest attempt: go on, and look for that one
  leave,   // end: another executor has taken this one's place
  restart  // end the ranks, which belong to another job or to an attempt that is over; join anew
};
[[nodiscard]] std::string_view to_string(Refusal refusal) noexcept;

struct Reply {
  std::int64_t sequence = 0;  // of the heartbeat that it answers
  std::int64_t term = 0;      // of the driver
  std::int64_t epoch = 0;     // of the job's newest attempt
  Refusal refusal = Refusal::none;
  std::string refused;  // why the heartbeat was refused; empty: it was not
  std::vector<Order> orders;
  bool operator==(const Reply&) const = default;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_MESSAGES_H_
