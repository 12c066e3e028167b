#ifndef MEGASCALE_CLI_PLAN_REPORT_H_
#define MEGASCALE_CLI_PLAN_REPORT_H_

#include <nlohmann/json.hpp>

#include "megascale/config/config.h"
#include "megascale/job/job_plan.h"

// The parts of the output of `megascale plan`. All functions print to stdout.
namespace megascale::cli {

// Prints sizes of model, batch and ranks.
void print_job(const Config& config, const job::JobPlan& job, std::int64_t parameters);

// Sums over the stages, and the array "ranks" of --json.
struct StageSums {
  double communication = 0;  // bytes that all ranks send in a step
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
};
// Prints a line for every stage. The ranks of a stage have one plan.
StageSums print_stages(const job::JobPlan& job);

// Print, for a rank of the stage, its memory by category and the bytes that it sends in a step.
void print_memory(const Config& config, const job::JobPlan& job, std::size_t stage);
void print_communication(const job::JobPlan& job, std::size_t stage);

// Prints the waits that exist only because two buffers share memory, most frequent kinds first.
// Each such wait may prevent overlap.
void print_reuse_waits(const plan::Expansion& built);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_PLAN_REPORT_H_
