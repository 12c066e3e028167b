#ifndef MEGASCALE_PLAN_PASSES_OVERLAP_H_
#define MEGASCALE_PLAN_PASSES_OVERLAP_H_

#include <initializer_list>

#include "megascale/plan/template.h"

// The functions that all overlap passes share. Internal to plan/passes/.
//
// A template is built without overlap: its transfers are serial (PlanOp::serial), so computation
// stands still while one of them runs. Each pass clears this mark for the transfers of one
// dimension. Their waits then follow only from the bytes that tasks touch. A pass never changes the
// results, so the bits stay the same.
namespace megascale::plan {

// Marks all transfers as serial, except norms and losses on the step lane, beside which no
// computation could run.
void make_transfers_serial(PlanTemplate& plan_template);

// Clears the mark for the transfers of these lanes.
void release_transfers(PlanTemplate& plan_template, std::initializer_list<graph::Lane> lanes);
// Clears the mark for the transfers between hosts of hierarchical collectives, which share the step lane.
void release_transfers_between_hosts(PlanTemplate& plan_template);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_OVERLAP_H_
