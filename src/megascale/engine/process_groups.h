#ifndef MEGASCALE_ENGINE_PROCESS_GROUPS_H_
#define MEGASCALE_ENGINE_PROCESS_GROUPS_H_

#include <span>
#include <vector>

#include "megascale/comm/process/process_rank.h"
#include "megascale/job/batch_plans.h"
#include "megascale/job/job_plan.h"

namespace megascale::engine {

// Returns the groups of a rank in the training plan and in the evaluation plan, and in the training
// plans of `smaller` batches, for comm::ProcessRank. A group that several plans use occurs several
// times, with equal entries. With `windows`, Group::equal_offsets is true if in all plans all members
// of the group are of one stage (so that they run the same plan) and use equal arena offsets. Without
// `windows` it is false for all groups. The job's verifications must have no violations.
[[nodiscard]] std::vector<comm::ProcessRank::Group> process_groups(
    const job::JobPlan& job, std::uint32_t rank, bool windows,
    std::span<const job::BatchPlan> smaller = {});

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_PROCESS_GROUPS_H_
