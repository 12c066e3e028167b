#ifndef MEGASCALE_PLAN_BIND_H_
#define MEGASCALE_PLAN_BIND_H_

#include <cstdint>

#include "megascale/parallel/rank_grid.h"
#include "megascale/plan/verify.h"

namespace megascale::plan {

// What one rank adds to the plan of its class: its coordinates, and who is in each of its
// communicators. Keys name a group or an edge once in the whole job: members agree on them, and the
// plans of a run (train, evaluate) share the communicators whose keys are equal. Throws Error
// (bad_usage) where a communicator is a factor by hosts and the grid's hosts cut its group
// unevenly.
Binding bind(const StepPlan& plan, const parallel::RankGrid& grid, std::uint32_t rank);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_BIND_H_
