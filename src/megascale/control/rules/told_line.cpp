// Finds the cause of a failure in what ranks have written to stderr. A rank whose step fails says
// why, tells the other ranks, and they say the same. So the first line will do.
#include "megascale/control/rules/rule.h"

namespace megascale::control {

std::optional<ToldLine> told_line(const JobSight& sight, std::string_view keyword) {
  for (const auto& [name, host] : sight.hosts) {
    if (host.heartbeat.epoch != sight.state.attempt.epoch) continue;
    for (const Finding& finding : host.heartbeat.findings) {
      if (finding.keyword != keyword) continue;
      ToldLine told{.rank = finding.rank, .line = finding.line};
      for (const RankReport& rank : host.heartbeat.ranks) {
        if (rank.rank == finding.rank) told.steps_done = rank.steps_done;
      }
      return told;
    }
  }
  return std::nullopt;
}

}  // namespace megascale::control
