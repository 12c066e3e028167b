#ifndef MEGASCALE_STUDY_FORECAST_SLOW_NODE_COST_H_
#define MEGASCALE_STUDY_FORECAST_SLOW_NODE_COST_H_

#include <optional>

#include "megascale/study/forecast/simulated_step.h"

namespace megascale::study {

// What slow nodes cost a job's step.
struct SlowNodeCost {
  double even_step_seconds = 0;  // of the same job without them
  double lost_seconds = 0;       // a step is this much longer
  // The slow rank whose computation exceeds that of its stage's ranks in the even step most, and
  // the excess in seconds.
  std::uint32_t rank = 0;
  double extra_compute_seconds = 0;

  [[nodiscard]] double lost_share() const noexcept { return lost_seconds / even_step_seconds; }
  // The fraction of the extra computation by which the step is longer. The rest fills time in which
  // that rank, or the ranks that wait for it, had nothing to compute. None where no node is slower
  // than the others.
  [[nodiscard]] std::optional<double> reaches_step_share() const noexcept;
};

// `slow`: a step with slow nodes; `even`: of the same job without.
[[nodiscard]] SlowNodeCost slow_node_cost(const SimulatedStep& slow, const SimulatedStep& even);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_SLOW_NODE_COST_H_
