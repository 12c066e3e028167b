// Names the rank that holds up a job. The rule frozen_process has seen that no rank moves; the
// positions of the ranks and the plan tell for which rank the others wait.
#include <fmt/format.h>

#include "megascale/control/driver.h"

namespace megascale::control {

Verdict Driver::name_culprit(Verdict verdict) const {
  if (!locate_) return verdict;
  HangFinding finding = locate_(sight());
  verdict.file = std::move(finding.file);
  verdict.evidence += "; " + finding.evidence;
  if (!verdict.is_guess || finding.rank < 0) return verdict;
  for_each_rank(sight(), [&](const std::string& host, const RankReport& rank) {
    if (rank.rank != finding.rank) return;
    verdict.rank = rank.rank;
    verdict.host = host;
    verdict.step = rank.steps_done;
    verdict.what = finding.what;
  });
  return verdict;
}

}  // namespace megascale::control
