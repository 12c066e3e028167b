#ifndef MEGASCALE_ENGINE_PROCESS_GROUPS_H_
#define MEGASCALE_ENGINE_PROCESS_GROUPS_H_

#include <vector>

#include "megascale/comm/process/process_rank.h"
#include "megascale/job/job_plan.h"

namespace megascale::engine {

// Returns the groups of a rank in the training plan and in the evaluation plan, for
// comm::ProcessRank. A group that both plans use occurs twice, with equal entries. With `windows`,
// Group::equal_offsets is true if in both plans all members of the group are of one stage (so that
// they run the same plan) and use equal arena offsets. Without `windows` it is false for all
// groups. The job's verifications must have no violations.
[[nodiscard]] std::vector<comm::ProcessRank::Group> process_groups(const job::JobPlan& job,
                                                                   std::uint32_t rank,
                                                                   bool windows);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_PROCESS_GROUPS_H_
