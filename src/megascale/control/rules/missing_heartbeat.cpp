// Rule missing_heartbeat: the executor of a host is silent.
//
// Three missing heartbeats are noted; nothing is done, since the ranks of the host may be well and
// the network or the executor may come back. Only after the lease the host counts as lost, and the
// job starts again.
#include <fmt/format.h>

#include <algorithm>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

constexpr double kMissed = 3;  // heartbeats
// An executor on a busy host may be late by this much without a fault.
constexpr double kShortestSilence = 5;  // seconds

}  // namespace

std::optional<Verdict> missing_heartbeat(const JobSight& sight, const std::string& host) {
  const HostSight& seen = sight.hosts.at(host);
  const double silence = static_cast<double>(sight.now_ns - seen.last_seen_ns) * 1e-9;
  const double limit = std::max(kMissed * sight.settings.heartbeat_seconds, kShortestSilence);
  if (silence < limit) return std::nullopt;
  const bool is_lost = silence >= std::max(sight.settings.lease_seconds, limit);
  return Verdict{.rule = "missing_heartbeat",
                 .action = is_lost ? Action::restart : Action::wait,
                 .host = host,
                 .step = sight.state.attempt.steps_done,
                 .idle_seconds = silence,
                 .what = fmt::format("the executor of host {} is silent", host),
                 .evidence = fmt::format("no heartbeat for {:.1f} s, expected one every {} s; the "
                                         "lease is {} s",
                                         silence, sight.settings.heartbeat_seconds,
                                         sight.settings.lease_seconds)};
}

}  // namespace megascale::control
