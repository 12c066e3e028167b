#ifndef MEGASCALE_PLAN_BIND_H_
#define MEGASCALE_PLAN_BIND_H_

#include <cstdint>
#include <span>

#include "megascale/parallel/rank_grid.h"
#include "megascale/plan/verify.h"

// Binds the plan of a class of ranks to one of its ranks.
namespace megascale::plan {

// Returns the numbers that one rank adds to the plan of its class: its coordinates, and the members
// of each of its communicators. A communicator's key is a name that is unique in the job and equal
// on all members. Plans of a run (train, evaluate) share the communicators with equal keys. Throws
// Error (bad_usage) if a communicator is a factor by hosts and the hosts of the grid cut its group
// into unequal parts.
Binding bind(const StepPlan& plan, const parallel::RankGrid& grid, std::uint32_t rank);
// The same from the communicators of the plan alone.
Binding bind(std::span<const Communicator> communicators, const parallel::RankGrid& grid,
             std::uint32_t rank);
// The same for one of its communicators.
CommunicatorBinding bind(const Communicator& communicator, const parallel::RankGrid& grid,
                         std::uint32_t rank);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_BIND_H_
