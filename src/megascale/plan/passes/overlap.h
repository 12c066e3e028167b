#ifndef MEGASCALE_PLAN_PASSES_OVERLAP_H_
#define MEGASCALE_PLAN_PASSES_OVERLAP_H_

#include <initializer_list>

#include "megascale/plan/template.h"

// What the overlap passes share. Internal to plan/passes/.
//
// A template is built without overlap: its transfers are serial (PlanOp::serial), so computation
// stands still while one runs. Each pass takes that off the transfers of one dimension. Their waits
// then follow from the bytes that tasks touch, and nothing else holds them or computation up. A pass
// never changes what is computed, so the bits stay the same.
namespace megascale::plan {

// Every transfer waits for all computation before it, and all computation behind waits for it; norms
// and losses of the step lane are left out, since nothing could run beside them.
void make_transfers_serial(PlanTemplate& plan_template);

// Takes the mark off the transfers of these lanes.
void release_transfers(PlanTemplate& plan_template, std::initializer_list<graph::Lane> lanes);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_OVERLAP_H_
