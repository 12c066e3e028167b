#ifndef MEGASCALE_TRAIN_ROUTING_METRICS_H_
#define MEGASCALE_TRAIN_ROUTING_METRICS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/engine/engine.h"
#include "megascale/plan/step_plan.h"

namespace megascale::train {

// Loads of experts and losses of the router in one step, over all ranks and micro-batches. The lists have one element per layer with experts. A number that is not finite is NaN.
struct RoutingMetrics {
  std::vector<std::int64_t> layers;  // their numbers, counted from 0
  std::vector<std::vector<std::int64_t>>
      loads;                          // choices by layer and expert, dropped ones included
  std::vector<std::int64_t> dropped;  // choices without a row
  // As parts of what the step minimises: with their coefficients, and as means over the tokens (or the
  // pairs of preferences) that the loss counts.
  std::vector<double> aux_loss, z_loss;
  // Largest load of an expert, and of the experts of a rank, relative to the mean: 1 is even. 0 if
  // nothing was routed.
  std::vector<double> imbalance, rank_imbalance;
  // The share of the step (0 to 1) for which the rank with the largest load computes its experts
  // longer than it would with the mean: from the loads and the time of the grouped products of the rank that writes
  // the metrics.
  double imbalance_share = 0;

  [[nodiscard]] double worst_imbalance() const noexcept;  // of a layer
  [[nodiscard]] double dropped_share() const noexcept;    // of all choices, 0 to 1
  // Whether the line of this step (steps done) has the loads. Models with many experts write them in
  // one line of several, so that a line has at most kLoadsPerLine of them on average.
  [[nodiscard]] bool writes_loads(std::int64_t step) const noexcept;
};
inline constexpr std::int64_t kLoadsPerLine = 512;

// `step`: with the numbers of routing first among those recorded. `expert_rank`: the index of this rank among
// the ranks that share the experts. Pure.
[[nodiscard]] RoutingMetrics routing_metrics(const Config& config, const engine::StepResult& step,
                                             const plan::StepPlan& plan, std::uint32_t expert_rank);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_ROUTING_METRICS_H_
