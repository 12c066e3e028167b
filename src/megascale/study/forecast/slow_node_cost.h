#ifndef MEGASCALE_STUDY_FORECAST_SLOW_NODE_COST_H_
#define MEGASCALE_STUDY_FORECAST_SLOW_NODE_COST_H_

#include <optional>

#include "megascale/study/forecast/simulated_step.h"

namespace megascale::study {

// The cost of slow nodes: how much longer a step takes, and how much of the slow ranks' extra
// computation causes it.
struct SlowNodeCost {
  double even_step_seconds = 0;  // a step of the same job without slow nodes
  double lost_seconds = 0;       // difference to the step with slow nodes
  // The slow rank with the most extra computation, compared with its stage in the step without slow
  // nodes; and that extra computation in seconds.
  std::uint32_t rank = 0;
  double extra_compute_seconds = 0;

  [[nodiscard]] double lost_share() const noexcept { return lost_seconds / even_step_seconds; }
  // Returns lost_seconds as a share of the extra computation. The rest disappears in time in which
  // this rank, or ranks that wait for it, would have been idle anyway. Returns nothing if no rank
  // computes longer.
  [[nodiscard]] std::optional<double> reaches_step_share() const noexcept;
};

// Compares a step with slow nodes (`slow`) with a step of the same job without (`even`). A pure
// function.
[[nodiscard]] SlowNodeCost slow_node_cost(const SimulatedStep& slow, const SimulatedStep& even);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_SLOW_NODE_COST_H_
