#ifndef MEGASCALE_CONTROL_RULES_RULE_H_
#define MEGASCALE_CONTROL_RULES_RULE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "megascale/control/driver_settings.h"
#include "megascale/control/driver_state.h"
#include "megascale/control/messages.h"

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
  double step_seconds = 0;  // the median of the last steps; 0: none is known
};

enum class Action : std::uint8_t {
  restart,  // end all ranks and start them again from the newest checkpoint
  give_up,  // end the job: a restart cannot help
  wait      // note it; it may pass
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
};

// Rules about the ranks of the current attempt.
[[nodiscard]] std::optional<Verdict> dead_process(const JobSight& sight);
[[nodiscard]] std::optional<Verdict> frozen_process(const JobSight& sight);
// About a host.
[[nodiscard]] std::optional<Verdict> missing_heartbeat(const JobSight& sight,
                                                       const std::string& host);
// Rules that forbid another attempt. They return why.
[[nodiscard]] std::optional<std::string> crash_loop(const JobSight& sight);
[[nodiscard]] std::optional<std::string> too_many_restarts(const JobSight& sight);

// The exit code of a job that was given up because restarts do not help. Slurm and Kubernetes count
// it as permanent.
inline constexpr std::int32_t kRestartsDoNotHelp = 3;

// Helpers of rules.
// Calls `visit(host, report)` for every rank of the current attempt that the hosts report.
template <class Visit>
void for_each_rank(const JobSight& sight, const Visit& visit) {
  for (const auto& [name, host] : sight.hosts) {
    if (host.heartbeat.epoch != sight.state.attempt.epoch) continue;
    for (const RankReport& rank : host.heartbeat.ranks) visit(name, rank);
  }
}

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_RULES_RULE_H_
