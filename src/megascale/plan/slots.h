#ifndef MEGASCALE_PLAN_SLOTS_H_
#define MEGASCALE_PLAN_SLOTS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/parallel/stage_events.h"
#include "megascale/plan/step_plan.h"

namespace megascale::plan {

using SlotNumbers = std::array<std::uint16_t, kTaskSlots>;

// Which slots the micro-batches of a stage occupy while its events go by.
struct SlotAssignment {
  std::vector<SlotNumbers> by_event;               // what the tasks of an event name
  std::array<std::uint32_t, kTaskSlots> counts{};  // slots of each use
};

struct SlotRules {
  bool splits_weight_gradients = false;  // the schedule's
  bool forward_only = false;             // evaluation
  // A forward that nothing was received for has a slot of receive_forward all the same
  // (PlacementRules::input_as_received).
  bool inputs_as_received = false;
};

// Activations are retained from a forward to the last work that reads them: the backward, or the
// weight gradient where the schedule splits it. With `forward_only` to the end of the forward.
// Transfers have one slot more than are ever in use at once, and slots are taken in turn, so that a
// transfer need not wait for the computation that used the last one.
SlotAssignment assign_slots(std::span<const parallel::StageEvent> events, const SlotRules& rules);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_SLOTS_H_
