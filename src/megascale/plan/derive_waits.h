#ifndef MEGASCALE_PLAN_DERIVE_WAITS_H_
#define MEGASCALE_PLAN_DERIVE_WAITS_H_

#include <cstdint>
#include <vector>

#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// A wait that exists only because two buffers share bytes, not because data flows.
struct ReuseWait {
  std::uint32_t task = 0;     // waits
  std::uint32_t earlier = 0;  // for
  BufferId buffer{};          // that this one uses
  BufferId earlier_buffer{};  // whose bytes it takes over
};

// Gives every task of `tables` (issue order, placed buffers, waits empty) the smallest set of waits
// under which all its accesses are ordered after the earlier ones they conflict with, at every
// place in the groups that operands refer to, and serial transfers stand alone with respect to
// computation. Waits that lane order or other waits imply are left out. Returns those that only
// memory reuse causes.
std::vector<ReuseWait> derive_waits(StepPlan::Tables& tables);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_DERIVE_WAITS_H_
