#ifndef MEGASCALE_CLI_SIMULATION_REPORT_H_
#define MEGASCALE_CLI_SIMULATION_REPORT_H_

#include <nlohmann/json_fwd.hpp>

#include "megascale/config/config.h"
#include "megascale/simulate/cluster.h"
#include "megascale/study/forecast/expert_loads.h"
#include "megascale/study/forecast/jitter_effect.h"
#include "megascale/study/forecast/simulated_step.h"
#include "megascale/study/forecast/slow_node_cost.h"

// The output of `megascale simulate`: each print() writes a part to stdout, each to_json() returns
// the same part for --json.
namespace megascale::cli {

void print(const study::SimulatedStep& step, const simulate::Cluster& cluster,
           const Config& config);
[[nodiscard]] nlohmann::ordered_json to_json(const study::SimulatedStep& step,
                                             const Config& config);
void print(const study::JitterEffect& effect);
[[nodiscard]] nlohmann::ordered_json to_json(const study::JitterEffect& effect);
void print(const study::SlowNodeCost& cost);
[[nodiscard]] nlohmann::ordered_json to_json(const study::SlowNodeCost& cost);
void print(const study::ImbalanceCost& cost);
[[nodiscard]] nlohmann::ordered_json to_json(const study::ImbalanceCost& cost);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_SIMULATION_REPORT_H_
