#ifndef MEGASCALE_CONTROL_RULES_RULE_H_
#define MEGASCALE_CONTROL_RULES_RULE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "megascale/control/driver_settings.h"
#include "megascale/control/driver_state.h"
#include "megascale/control/messages.h"
#include "megascale/control/outcome_table.h"
#include "megascale/control/traffic_table.h"

// The rules by which a driver judges its job. Each rule is a pure function in a file of its own. It
// sees what the driver knows and returns a verdict with its evidence, or nothing.
namespace megascale::control {

// What the driver knows about a host.
struct HostSight {
  std::int64_t last_seen_ns = 0;
  Heartbeat heartbeat;  // the newest one
};

struct JobSight {
  const DriverSettings& settings;
  const DriverState& state;
  const std::map<std::string, HostSight>& hosts;
  std::int64_t now_ns = 0;
  double step_seconds = 0;                 // the median of the last steps; 0: none is known
  const OutcomeTable* outcomes = nullptr;  // of the attempt; null: none are known
  const TrafficTable* traffic = nullptr;   // likewise
};

enum class Action : std::uint8_t {
  restart,  // end all ranks and start them again from the newest checkpoint
  give_up,  // end the job: a restart cannot help
  wait,     // note it; it may pass
  alert     // tell it once in an attempt: a person should look
};

struct Verdict {
  std::string_view rule;
  Action action = Action::restart;
  std::int32_t exit_code = 1;  // of give_up
  std::int64_t rank = -1;      // -1: no single rank
  std::string host;
  std::int64_t step = -1;   // steps done by that rank; -1: none or unknown
  double idle_seconds = 0;  // since the last progress
  std::string what;         // one clause: "rank 2 was killed by signal 9 (Killed)"
  std::string evidence;
  // The step, counted from 0, whose result is in doubt: it is replayed from a state before it. -1:
  // none is.
  std::int64_t bad_step = -1;
  bool is_guess = false;     // `rank` is only the most likely one
  bool blames_host = false;  // the hardware of `host` was at fault: it should get no more ranks
  std::string file;          // evidence that is too long for the record, as JSON; empty: none
  bool may_be_a_consequence = false;  // of a fault on another host, of which nothing is known yet
  std::int64_t covers_ns = 0;         // time of the steps that show it, at least
};

// The rank that holds up a job, as the positions of all ranks tell it.
struct HangFinding {
  std::int64_t rank = -1;  // that holds up the others; -1: the positions do not tell
  std::string what;        // one clause about that rank: step, lane, task, reason
  std::string evidence;    // who waits for it; or why nobody can be named
  std::string file;        // for the evidence of the incident: verdict and all positions, as JSON
};
using LocateCulprit = std::function<HangFinding(const JobSight&)>;

// Rules about the ranks of the current attempt.
[[nodiscard]] std::optional<Verdict> dead_process(const JobSight& sight);
[[nodiscard]] std::optional<Verdict> frozen_process(const JobSight& sight);
[[nodiscard]] std::optional<Verdict> new_executor(const JobSight& sight);
[[nodiscard]] std::optional<Verdict> wire_damage(const JobSight& sight);
[[nodiscard]] std::optional<Verdict> two_results(const JobSight& sight);
[[nodiscard]] std::optional<Verdict> state_digest(const JobSight& sight);
[[nodiscard]] std::optional<Verdict> bad_loss(const JobSight& sight);
[[nodiscard]] std::optional<Verdict> slow_rank(const JobSight& sight);
// About a host.
[[nodiscard]] std::optional<Verdict> missing_heartbeat(const JobSight& sight,
                                                       const std::string& host);
[[nodiscard]] std::optional<Verdict> traffic_fall(const JobSight& sight, const std::string& host);
// Rules that forbid another attempt. They return why.
[[nodiscard]] std::optional<std::string> crash_loop(const JobSight& sight);
[[nodiscard]] std::optional<std::string> too_many_restarts(const JobSight& sight);

// The exit code of a job that was given up because restarts do not help. Slurm and Kubernetes count
// it as permanent.
inline constexpr std::int32_t kRestartsDoNotHelp = 3;
// That of a job whose run has diverged (train.max_skipped_steps): permanent too.
inline constexpr std::int32_t kDiverged = 4;

// Helpers of rules.
// Calls `visit(host, report)` for every rank of the current attempt that the hosts report.
template <class Visit>
void for_each_rank(const JobSight& sight, const Visit& visit) {
  for (const auto& [name, host] : sight.hosts) {
    if (host.heartbeat.epoch != sight.state.attempt.epoch) continue;
    for (const RankReport& rank : host.heartbeat.ranks) visit(name, rank);
  }
}

// A line in which a rank of the attempt says why its step has failed.
struct ToldLine {
  std::uint32_t rank = 0;
  std::int64_t steps_done = -1;  // by that rank; -1: none or unknown
  std::string line;
};
// Returns the first line with this keyword (keywords.h), or nothing.
[[nodiscard]] std::optional<ToldLine> told_line(const JobSight& sight, std::string_view keyword);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_RULES_RULE_H_
