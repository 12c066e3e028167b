#ifndef MEGASCALE_PLAN_PASSES_HOIST_TRANSFERS_H_
#define MEGASCALE_PLAN_PASSES_HOIST_TRANSFERS_H_

#include "megascale/graph/program.h"

// The pass that issues the transfers of the backward as early as their input exists.
namespace megascale::plan {

// Moves every group transfer in program.backward, and the op that packs its input, directly behind
// the op that writes that input. differentiate() places the transfer behind the weight gradient
// that follows this op. If the transfer is issued first, it runs while the weight gradient is
// computed, and it cannot reuse memory that the weight gradient still reads. Recomputed ops stay in
// their places. Bits do not change.
void hoist_transfers(graph::Program& program);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_HOIST_TRANSFERS_H_
