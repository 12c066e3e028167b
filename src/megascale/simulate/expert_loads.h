#ifndef MEGASCALE_SIMULATE_EXPERT_LOADS_H_
#define MEGASCALE_SIMULATE_EXPERT_LOADS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "megascale/plan/step_plan.h"

// How a router spreads its choices over the experts. Plans count rows with their mean, as if all
// loads were equal. A simulation with other loads gives every rank the rows of its own experts.
namespace megascale::simulate {

// By number of the layer: the load of each expert. Only ratios within a layer matter. Layers that
// are not listed have equal loads. A plain value.
struct ExpertLoads {
  std::map<std::int64_t, std::vector<double>> by_layer;
  // Layers that lost choices (drop_loads()): the sum of their loads before. The mean is that of all
  // choices, since plans count the rows of all.
  std::map<std::int64_t, double> before_dropping{};

  [[nodiscard]] bool are_even() const noexcept { return by_layer.empty(); }
  // Returns the rows that arrive at expert rank `rank` of `ranks`, over the mean of these ranks. The
  // experts lie on the ranks in order, equally many on each. Returns 1 for layers without loads.
  [[nodiscard]] double of_rank(std::int64_t layer, std::uint32_t rank, std::uint32_t ranks) const;
  // Returns the largest of_rank() of a layer.
  [[nodiscard]] double of_busiest_rank(std::int64_t layer, std::uint32_t ranks) const;
};

// Returns loads that follow Zipf's law: the expert in place i (from 1) of a layer has a load of
// i^-exponent. Each layer has an order of its own, drawn from the layer's number, so no rank is the
// busiest in all layers. Exponent 0 gives equal loads. The `choices` of a token are different experts,
// so no expert can have more than 1 / `choices` of the load: the loads above are cut to this limit, and
// the other experts share the rest in proportion to their loads. 1 <= `choices` <= `experts`.
[[nodiscard]] ExpertLoads zipf_loads(double exponent, const std::vector<std::int64_t>& layers,
                                     std::int64_t experts, std::int64_t choices);

// How choices are dropped (moe.expert_capacity_factor): each of `groups` groups of consecutive experts keeps
// at most `factor` times the mean of the groups. A share `exempt` of its choices is never dropped.
struct CapacityLimit {
  std::int64_t groups = 1;
  double factor = 1, exempt = 0;
};
// Returns the loads that are left, if all micro-batches have these loads. The experts of a group lose
// the same share. `groups` divides the experts.
[[nodiscard]] ExpertLoads drop_loads(ExpertLoads loads, const CapacityLimit& limit);

// Returns the op as it is on a rank with these coordinates: the mean of the rows that arrive at the
// rank's experts, and the FLOPs, multiplied by the rank's load in the layer of the op. Rows never
// exceed their bound. Other ops are returned as they are.
[[nodiscard]] plan::PlanOp with_load(const plan::PlanOp& op, const ExpertLoads& loads,
                                     const graph::AxisSizes& axes,
                                     const graph::Coordinates& coordinates);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_EXPERT_LOADS_H_
