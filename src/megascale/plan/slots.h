#ifndef MEGASCALE_PLAN_SLOTS_H_
#define MEGASCALE_PLAN_SLOTS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/parallel/stage_events.h"
#include "megascale/plan/step_plan.h"

// Assigns slots to micro-batches. A slot is one of several equal pieces of memory for the
// activations of one micro-batch in flight (SlotUse). The schedule of a stage decides how many
// micro-batches are in flight at once, and so how many slots are needed.
namespace megascale::plan {

using SlotNumbers = std::array<std::uint16_t, kTaskSlots>;

// The slots that the micro-batches of a stage occupy while its events run.
struct SlotAssignment {
  std::vector<SlotNumbers> by_event;               // slot numbers of the tasks of each event
  std::array<std::uint32_t, kTaskSlots> counts{};  // number of slots of each use
};

struct SlotRules {
  bool splits_weight_gradients = false;  // the schedule runs weight gradients apart
  bool forward_only = false;             // evaluation: nothing is kept for a backward
  // A forward without a receive, for instance of the first stage, also gets a slot of
  // receive_forward (PlacementRules::input_as_received).
  bool inputs_as_received = false;
};

// Walks over the events of a stage and gives each one its slots. A retained slot is held from the
// forward to the last work that reads it: the backward, or the weight gradient if the schedule
// splits it. With `forward_only` it is held to the end of the forward. Each use for transfers has
// one slot more than are ever in use at once, and slots are taken in turn. A transfer then need not
// wait for the computation that used the last slot.
SlotAssignment assign_slots(std::span<const parallel::StageEvent> events, const SlotRules& rules);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_SLOTS_H_
