#ifndef MEGASCALE_CLI_SLOW_NODE_COST_H_
#define MEGASCALE_CLI_SLOW_NODE_COST_H_

#include <nlohmann/json.hpp>
#include <optional>

#include "megascale/cli/simulated_step.h"

namespace megascale::cli {

// What slow nodes cost a job's step.
struct SlowNodeCost {
  double even_step_seconds = 0;  // of the same job without them
  double lost_seconds = 0;       // a step is this much longer
  // Of the slow rank that computes most longer than its stage's ranks do in the even step, and by
  // how much.
  std::uint32_t rank = 0;
  double extra_compute_seconds = 0;

  [[nodiscard]] double lost_share() const noexcept { return lost_seconds / even_step_seconds; }
  // How much of the extra computation the step is longer by; the rest goes where that rank, or
  // those that wait for it, had nothing to compute. None where no node is slower than the others.
  [[nodiscard]] std::optional<double> reaches_step_share() const noexcept;
};

// `slow`: a step with slow nodes; `even`: of the same job without.
[[nodiscard]] SlowNodeCost slow_node_cost(const SimulatedStep& slow, const SimulatedStep& even);

void print(const SlowNodeCost& cost);
[[nodiscard]] nlohmann::ordered_json to_json(const SlowNodeCost& cost);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_SLOW_NODE_COST_H_
