#ifndef MEGASCALE_STUDY_FORECAST_EXPERT_LOADS_H_
#define MEGASCALE_STUDY_FORECAST_EXPERT_LOADS_H_

#include <string>

#include "megascale/config/config.h"
#include "megascale/simulate/expert_loads.h"
#include "megascale/study/forecast/simulated_step.h"

namespace megascale::study {

// Returns the loads that a description stands for:
//   even      equal loads
//   zipf:S    Zipf's law with exponent S, from 0 to 10 (simulate::zipf_loads())
//   FILE      the counts of a recorded run: its metrics.jsonl, summed over all lines with loads
// If moe.expert_capacity_factor drops choices, these are the loads that are left of it.
// `config` must be resolved. Throws Error (bad_usage) if the description is none of these, the model
// has no experts, the file does not fit the model, or the file cannot be read.
[[nodiscard]] simulate::ExpertLoads expert_loads(const std::string& description,
                                                 const Config& config);

// The cost of uneven loads.
struct ImbalanceCost {
  double even_step_seconds = 0;  // a step of the same job with equal loads
  double lost_seconds = 0;       // difference to the step with the given loads
  double share = 0;              // of the step with the given loads
  // The layer in which a rank gets the most rows, and these rows over the mean of the expert ranks.
  std::int64_t layer = 0;
  double busiest = 1;
};

// Compares a step with `loads` (`uneven`) with a step with equal loads (`even`). A pure function.
[[nodiscard]] ImbalanceCost imbalance_cost(const SimulatedStep& uneven, const SimulatedStep& even,
                                           const simulate::ExpertLoads& loads,
                                           std::int64_t expert_ranks);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_EXPERT_LOADS_H_
