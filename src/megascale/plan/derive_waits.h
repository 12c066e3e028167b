#ifndef MEGASCALE_PLAN_DERIVE_WAITS_H_
#define MEGASCALE_PLAN_DERIVE_WAITS_H_

#include <cstdint>
#include <vector>

#include "megascale/plan/step_plan.h"

// Derives the waits of a plan from the bytes that its tasks touch, so that no pass and no builder
// has to write waits by hand (docs/decisions/0001).
namespace megascale::plan {

// A wait that exists only because two buffers share bytes: no data flows from the earlier task to
// the later one. `megascale plan` reports these waits.
struct ReuseWait {
  std::uint32_t task = 0;     // the task that waits
  std::uint32_t earlier = 0;  // the task that it waits for
  BufferId buffer{};          // the buffer that `task` uses
  BufferId earlier_buffer{};  // the buffer whose bytes it takes over
};

// Gives every task of `tables` the smallest set of waits that orders all its accesses after the
// earlier accesses with which they conflict, at all places. The tasks are in issue order, the
// buffers are placed, and there are no waits yet. Serial transfers (PlanOp::serial) also get the
// waits that keep computation still while they run. Waits that follow from lane order or from other
// waits are left out. Returns the waits that only memory reuse causes.
std::vector<ReuseWait> derive_waits(StepPlan::Tables& tables);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_DERIVE_WAITS_H_
