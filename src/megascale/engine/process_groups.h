#ifndef MEGASCALE_ENGINE_PROCESS_GROUPS_H_
#define MEGASCALE_ENGINE_PROCESS_GROUPS_H_

#include <vector>

#include "megascale/comm/process/process_rank.h"
#include "megascale/job/job_plan.h"

namespace megascale::engine {

// The groups of a rank in the plans of its run, as a rank that is a process is told them. A group
// in both plans is there twice. `windows`: says of each whether it may have them, which is where
// all members are of one stage, and so have one plan, and use equal offsets in it, in both plans;
// else nobody may.
[[nodiscard]] std::vector<comm::ProcessRank::Group> process_groups(const job::JobPlan& job,
                                                                   std::uint32_t rank,
                                                                   bool windows);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_PROCESS_GROUPS_H_
