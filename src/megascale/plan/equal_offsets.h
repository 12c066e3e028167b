#ifndef MEGASCALE_PLAN_EQUAL_OFFSETS_H_
#define MEGASCALE_PLAN_EQUAL_OFFSETS_H_

#include <span>

#include "megascale/plan/step_plan.h"

// Decides whether a communicator may use symmetric memory, where every member uses the same offset
// of its arena.
namespace megascale::plan {

// Returns whether all members use equal arena offsets in each collective of the communicator. All
// members run this plan. `members`: their coordinates, in group order.
// - In an all_gather or a reduce_scatter, the part of a member may instead lie in its own block of
//   the whole.
// - A buffer of category staging has no such offset: devices keep it outside of the arena.
// - Sends and receives, and the collectives made of them (shift, all_to_all), may use any offsets.
[[nodiscard]] bool has_equal_offsets(const StepPlan& plan, CommunicatorId communicator,
                                     std::span<const Coordinates> members);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_EQUAL_OFFSETS_H_
