#include "megascale/serve/job_works.h"

#include <fmt/format.h>

#include "megascale/base/run_directory.h"

namespace megascale::serve {

JobWorks::JobWorks(const job::JobPlan& job) : job_(&job) {
  const auto& plans = job.train_verification.plans;  // of all ranks, or of the first of each stage
  for (std::size_t stage = 0; stage < job.stages.size(); ++stage) {
    const bool has_all = plans.size() == job.grid.world_size();
    const plan::StepPlan& plan = plans[has_all ? job.first_rank_of(stage) : stage].plan();
    works_.push_back({.order = observe::LaneOrder(plan), .digest = plan.digest()});
  }
}

std::string JobWorks::problem_of(std::uint32_t rank, const std::string& digest) const {
  if (rank >= world_size())
    return fmt::format("the configuration has ranks 0 to {}", world_size() - 1);
  if (digest == work_of(rank)) return "";
  return fmt::format(
      "its records belong to plan {}, and this version of megascale makes plan {} from {}; "
      "megascale trace can show them",
      digest, work_of(rank), RunDirectory::kConfig);
}

}  // namespace megascale::serve
