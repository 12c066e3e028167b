#ifndef MEGASCALE_CLI_PLAN_REPORT_H_
#define MEGASCALE_CLI_PLAN_REPORT_H_

#include <nlohmann/json.hpp>

#include "megascale/config/config.h"
#include "megascale/job/job_plan.h"

// What `megascale plan` prints, part by part.
namespace megascale::cli {

void print_job(const Config& config, const job::JobPlan& job, std::int64_t parameters);

// What the plans of the stages come to.
struct StageSums {
  double communication = 0;
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
};
// A line for every stage: its ranks are one class, with one plan.
StageSums print_stages(const job::JobPlan& job);

// Of a rank of the stage: its memory by category, and the bytes that it sends in a step.
void print_memory(const Config& config, const job::JobPlan& job, std::size_t stage);
void print_communication(const job::JobPlan& job, std::size_t stage);

// Waits that only save memory. Each is a chance lost to overlap, so the reader should see them.
void print_reuse_waits(const plan::Expansion& built);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_PLAN_REPORT_H_
