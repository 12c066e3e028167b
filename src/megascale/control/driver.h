#ifndef MEGASCALE_CONTROL_DRIVER_H_
#define MEGASCALE_CONTROL_DRIVER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "megascale/control/driver_settings.h"
#include "megascale/control/driver_state.h"
#include "megascale/control/message_gate.h"
#include "megascale/control/messages.h"
#include "megascale/control/records.h"
#include "megascale/control/rules/rule.h"

namespace megascale::control {

// The decisions of a driver as a state machine. It has no clock, no files and no connections: every
// call is an event with its time, and returns what to store, say and reply. The caller must make
// `change` and state() durable before it sends the reply; then a driver that is killed and comes
// back gives no order twice and forgets none.
// Times are nanoseconds of one monotonic clock. One thread may use it.
class Driver {
 public:
  struct Step {
    Change change;
    std::vector<std::string> messages;  // for people
    Reply reply;                        // of heartbeat() only
  };

  // `before` is the state of an earlier driver of this job, if there is one. If it belongs to
  // another session, a person has started the job again, and a new attempt begins.
  Driver(std::string job, std::int64_t session, DriverSettings settings,
         std::optional<DriverState> before);
  // The first event.
  Step begin(std::int64_t now_ns);
  Step heartbeat(const Heartbeat& heartbeat, std::int64_t now_ns);
  // Time has passed. Call it several times a second.
  Step tick(std::int64_t now_ns);
  // The last event, if the executors end before the job: a person has ended them.
  Step leave(std::int64_t now_ns);
  [[nodiscard]] const DriverState& state() const noexcept { return state_; }

 private:
  void notice_own_gap();
  void take(const Heartbeat& heartbeat);
  void take_acknowledgements(const Heartbeat& heartbeat);
  void take_checkpoints(const Heartbeat& heartbeat);
  void take_progress(const Heartbeat& heartbeat);
  void note_training();
  void judge();
  void judge_hosts();
  void give_host_up(const std::string& name);
  void judge_ranks();
  [[nodiscard]] bool all_ranks_ended(bool with_success) const;
  [[nodiscard]] bool no_rank_was_started() const;
  void start_attempt();
  void act(const Verdict& verdict);
  void stop_ranks(double idle_seconds);
  void end_attempt();
  void finish();
  Incident open_incident(const Verdict& verdict, std::string action);
  void close_incident(Incident incident, std::string outcome);
  void give(Order order);
  [[nodiscard]] std::vector<std::string> present_hosts() const;
  [[nodiscard]] JobSight sight() const;
  void log(EntryKind kind, LogEntry entry);
  void log(EntryKind kind) { log(kind, {}); }
  void say(std::string text) { step_.messages.push_back(std::move(text)); }
  Step finish_step();

  DriverSettings settings_;
  DriverState state_;
  std::int64_t session_;
  HeartbeatGate gate_;
  std::map<std::string, HostSight> hosts_;
  std::deque<double> step_seconds_;  // of the last steps
  std::string last_refusal_;
  std::int64_t now_ns_ = 0, before_ns_ = 0;  // of this event, of the one before; 0: none
  Step step_;                                // under construction
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DRIVER_H_
