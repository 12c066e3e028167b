#ifndef MEGASCALE_CLI_EXPERT_REPORT_H_
#define MEGASCALE_CLI_EXPERT_REPORT_H_

#include <nlohmann/json.hpp>
#include <string_view>

#include "megascale/config/config.h"
#include "megascale/job/job_plan.h"
#include "megascale/simulate/expert_loads.h"

// Lines about routed experts: `megascale plan` prints active parameters and the rows of a rank;
// `plan`, `simulate` and `tune` print the rows of the busiest rank with uneven loads.
namespace megascale::cli {

// Prints both, or nothing if the model has no experts. `config` must be resolved and valid.
void print_experts(const Config& config, const job::JobPlan& job);
// Adds both to `json`, if the model has experts.
void add_experts(const Config& config, const job::JobPlan& job, nlohmann::ordered_json& json);

// Prints the rows of the busiest expert rank with these loads, beside the memory for them, and adds
// both to `json`. Also says in how many layers the memory is too little: training would stop there.
// `label` begins the line.
void show_expert_loads(std::string_view label, const Config& config,
                       const simulate::ExpertLoads& loads, nlohmann::ordered_json& json);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_EXPERT_REPORT_H_
