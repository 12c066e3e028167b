#ifndef MEGASCALE_CONTROL_DRIVER_H_
#define MEGASCALE_CONTROL_DRIVER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "megascale/control/driver_settings.h"
#include "megascale/control/driver_state.h"
#include "megascale/control/lasting_verdict.h"
#include "megascale/control/message_gate.h"
#include "megascale/control/messages.h"
#include "megascale/control/outcome_table.h"
#include "megascale/control/records.h"
#include "megascale/control/rules/rule.h"
#include "megascale/control/traffic_table.h"

namespace megascale::control {

// How a driver came to its job.
struct DriverTenure {
  std::int64_t term = 0;      // at least; 0: a driver that no other one can replace
  std::int64_t clock_ns = 0;  // DriverState::clock_ns
  // True: it replaces a driver on another host, and its stored state may be older than the running
  // attempt.
  bool takes_over = false;
};

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
    std::vector<Evidence> evidence;     // to be stored before the change
  };

  using Tenure = DriverTenure;
  // `before` is the state of an earlier driver of this job, if there is one. If it belongs to
  // another session, a person has started the job again, and a new attempt begins.
  Driver(std::string job, std::int64_t session, DriverSettings settings,
         std::optional<DriverState> before, Tenure tenure = {});
  // Names the culprit of a job that makes no progress; without it, the rank that has been silent for
  // the longest time is named.
  void locate_by(LocateCulprit locate) { locate_ = std::move(locate); }
  // The first event.
  Step begin(std::int64_t now_ns);
  Step heartbeat(const Heartbeat& heartbeat, std::int64_t now_ns);
  // Time has passed. Call it several times a second.
  Step tick(std::int64_t now_ns);
  // The last event, if the executors end before the job: a person has ended them.
  Step leave(std::int64_t now_ns);
  // A host gets no ranks any more, until allow(). If it has ranks now, the job is restarted without
  // it. The step's reply is not used.
  Step block(const std::string& host, const std::string& why, std::int64_t now_ns);
  Step allow(const std::string& host, std::int64_t now_ns);
  // The job saves and ends, as if a person had asked each host.
  Step request_stop(std::int64_t now_ns);
  [[nodiscard]] const DriverState& state() const noexcept { return state_; }
  // Why this driver is not that of the job any more; nothing if it is.
  [[nodiscard]] const std::optional<std::string>& replaced() const noexcept { return replaced_; }
  // True when the job has ended and no executor that answers waits for its release.
  [[nodiscard]] bool is_done(std::int64_t now_ns) const;

 private:
  void notice_own_gap();
  void take(const Heartbeat& heartbeat);
  void take_acknowledgements(const Heartbeat& heartbeat);
  void take_checkpoints(const Heartbeat& heartbeat);
  void take_progress(const Heartbeat& heartbeat);
  void note_training();
  void judge();
  void judge_ranks();
  [[nodiscard]] bool may_be_a_consequence(const Verdict& verdict);
  // driver_take_over.cpp
  void begin_term();
  [[nodiscard]] std::optional<Refusal> refuse_newer_term(const Heartbeat& heartbeat);
  void note_unknown_attempt(const Heartbeat& heartbeat);
  void judge_unknown_attempt();
  void take_up(std::int64_t epoch, std::vector<Member> members, bool is_whole);
  // driver_hosts.cpp
  void expect_hosts();
  [[nodiscard]] std::optional<Refusal> refuse_stale(const Heartbeat& heartbeat);
  void note_leaving(const Heartbeat& heartbeat);
  [[nodiscard]] bool is_cut_off() const;
  void notice_contact();
  void judge_hosts();
  void give_host_up(const std::string& name);
  void forget_host(const std::string& name);
  [[nodiscard]] bool is_member(const std::string& host) const;
  [[nodiscard]] bool is_lost(const HostSight& host) const;
  [[nodiscard]] bool is_usable(const std::string& host) const;
  [[nodiscard]] std::vector<std::string> choose_hosts(std::uint32_t count) const;
  [[nodiscard]] std::vector<std::string> hosts_to_start() const;
  [[nodiscard]] std::uint32_t ranks_of_host() const noexcept {
    return settings_.world_size / settings_.hosts;
  }
  // The ranks of this attempt: fewer than those of the job if it goes on with fewer hosts.
  [[nodiscard]] std::uint32_t ranks_of_attempt() const noexcept {
    return static_cast<std::uint32_t>(state_.members.size()) * ranks_of_host();
  }
  void wait_for_hosts();
  void start_on(const std::vector<std::string>& hosts);
  void begin_attempt(std::int64_t epoch);
  [[nodiscard]] bool fill_in(Order& order) const;
  // driver_outcomes.cpp
  bool judge_outcomes();
  void alert(const std::optional<Verdict>& verdict);
  void judge_replay();
  void accept_following_steps();
  // The result of a replay, and the host whose hardware was at fault (empty: it is not known).
  struct ReplayResult {
    std::string text, bad_host;
  };
  ReplayResult compare_losses(const OutcomeTable::ByRank& again);
  ReplayResult compare_states(const OutcomeTable::ByRank& again);
  // driver_bad_hosts.cpp
  [[nodiscard]] std::string host_in_doubt(std::int64_t rank) const;
  void block_bad_host(const std::string& host, const std::string& why);
  void take_out(const std::string& host, const std::string& why);
  // driver_checks.cpp
  void doubt_hosts();
  [[nodiscard]] bool hosts_are_fit(const std::vector<std::string>& chosen);
  void judge_checks();
  void take_check_results();
  // Executor and driver of a job on one host that was started without a cluster.
  [[nodiscard]] bool is_embedded() const noexcept { return settings_.directory.empty(); }
  // driver_attempts.cpp
  [[nodiscard]] Verdict name_culprit(Verdict verdict) const;
  [[nodiscard]] bool all_ranks_ended(bool with_success) const;
  [[nodiscard]] bool ranks_were_not_started() const;
  void act(const Verdict& verdict);
  void stop_ranks(double idle_seconds);
  void end_attempt();
  void finish();
  Incident open_incident(const Verdict& verdict, std::string action);
  void close_incident(Incident incident, std::string outcome);
  static void limit_evidence(Incident& incident);
  void give(Order order);
  void release(const std::string& host);
  [[nodiscard]] JobSight sight() const;
  void log(EntryKind kind, LogEntry entry);
  void log(EntryKind kind) { log(kind, {}); }
  void say(std::string text) { step_.messages.push_back(std::move(text)); }
  Step finish_step();

  // An attempt that executors report and the record does not know.
  struct UnknownAttempt {
    std::int64_t epoch = 0, since_ns = 0;
  };

  DriverSettings settings_;
  DriverState state_;
  Tenure tenure_;
  std::optional<UnknownAttempt> unknown_;
  std::optional<std::string> replaced_;
  std::int64_t session_;
  HeartbeatGate gate_;
  LocateCulprit locate_;
  std::map<std::string, HostSight> hosts_;
  std::deque<double> step_seconds_;  // of the last steps
  OutcomeTable outcomes_;
  TrafficTable traffic_;
  LastingVerdict slow_rank_;
  std::string last_refusal_;
  bool says_cut_off_ = false;  // nobody was heard for a while, and this was said
  // Incarnation and number of the newest heartbeat of each member when a rank of the attempt ended in a
  // way that may follow from another end; empty: none has.
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> heard_before_end_;
  std::int64_t waits_since_ns_ = 0;          // for hosts; 0: it does not
  std::int64_t now_ns_ = 0, before_ns_ = 0;  // of this event, of the one before; 0: none
  Step step_;                                // under construction
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_DRIVER_H_
