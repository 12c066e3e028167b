// Finds the slow rank with the most extra computation, by comparing busy times within a stage.
#include "megascale/study/forecast/slow_node_cost.h"

#include <algorithm>

namespace megascale::study {

std::optional<double> SlowNodeCost::reaches_step_share() const noexcept {
  if (extra_compute_seconds <= 0) return std::nullopt;
  return lost_seconds / extra_compute_seconds;
}

SlowNodeCost slow_node_cost(const SimulatedStep& slow, const SimulatedStep& even) {
  SlowNodeCost cost{.even_step_seconds = even.seconds, .lost_seconds = slow.seconds - even.seconds};
  for (const SimulatedRanks& ranks : slow.ranks) {
    if (ranks.speed == 1) continue;
    const auto alike =
        std::find_if(even.ranks.begin(), even.ranks.end(),
                     [&](const SimulatedRanks& other) { return other.stage == ranks.stage; });
    const double extra = ranks.busy_seconds - alike->busy_seconds;
    if (extra <= cost.extra_compute_seconds) continue;
    cost.extra_compute_seconds = extra;
    cost.rank = ranks.rank;
  }
  return cost;
}

}  // namespace megascale::study
