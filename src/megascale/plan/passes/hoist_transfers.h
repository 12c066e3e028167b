#ifndef MEGASCALE_PLAN_PASSES_HOIST_TRANSFERS_H_
#define MEGASCALE_PLAN_PASSES_HOIST_TRANSFERS_H_

#include "megascale/graph/program.h"

namespace megascale::plan {

// Moves every transfer of a group in program.backward, and the op that packs what it sends, to
// directly behind the op that makes that. differentiate() writes the transfer behind the weight
// gradient that follows that op; issued before it, the transfer runs under the weight gradient and
// takes no memory that this still reads. What is recomputed stays where it was put. Bits do not
// change.
void hoist_transfers(graph::Program& program);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_HOIST_TRANSFERS_H_
