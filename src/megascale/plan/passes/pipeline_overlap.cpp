// Overlap of the transfers between stages. parallel/stage_events decides where they stand in the
// issue order; this pass lets computation go on while they run.
#include "megascale/plan/passes/pipeline_overlap.h"

#include "megascale/plan/passes/overlap.h"

namespace megascale::plan {

void overlap_pipeline(PlanTemplate& plan_template) {
  release_transfers(plan_template, {graph::Lane::forward_send, graph::Lane::forward_receive,
                                    graph::Lane::backward_send, graph::Lane::backward_receive});
}

}  // namespace megascale::plan
