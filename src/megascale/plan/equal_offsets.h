#ifndef MEGASCALE_PLAN_EQUAL_OFFSETS_H_
#define MEGASCALE_PLAN_EQUAL_OFFSETS_H_

#include <span>

#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// Whether ranks that all run this plan use equal offsets of their arenas in every transfer of the
// communicator in which all of them take part at once: what symmetric memory asks for. A member's
// part of an all_gather or a reduce_scatter may also lie in its place in the whole. Staging, which
// devices have outside of the arena, has no offset there. Sends, receives
// and what is made of them (shift, all_to_all) may lie anywhere. `members`: their coordinates, in
// group order.
[[nodiscard]] bool has_equal_offsets(const StepPlan& plan, CommunicatorId communicator,
                                     std::span<const Coordinates> members);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_EQUAL_OFFSETS_H_
