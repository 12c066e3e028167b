// Rule new_executor: a host has another executor than the one that started its ranks.
//
// Ranks end with their executor, so they are gone, although no heartbeat tells of their ends. Nothing
// has to be waited for: the host is there, and its new executor can start ranks.
#include <fmt/format.h>

#include "megascale/control/rules/rule.h"

namespace megascale::control {

std::optional<Verdict> new_executor(const JobSight& sight) {
  for (const auto& [name, incarnation] : sight.state.members) {
    const auto host = sight.hosts.find(name);
    if (host == sight.hosts.end()) continue;
    const std::int64_t found = host->second.heartbeat.incarnation;
    if (found == 0 || found == incarnation) continue;
    return Verdict{
        .rule = "new_executor",
        .host = name,
        .step = sight.state.attempt.steps_done,
        .what = fmt::format("the executor of host {} has ended, and its ranks with it", name),
        .evidence =
            fmt::format("expected incarnation {}, found incarnation {}", incarnation, found)};
  }
  return std::nullopt;
}

}  // namespace megascale::control
