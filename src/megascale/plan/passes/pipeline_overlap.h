#ifndef MEGASCALE_PLAN_PASSES_PIPELINE_OVERLAP_H_
#define MEGASCALE_PLAN_PASSES_PIPELINE_OVERLAP_H_

#include "megascale/plan/template.h"

namespace megascale::plan {

// Lets sends and receives between pipeline stages run beside computation (`overlap.pipeline`;
// MegaScale, arXiv 2402.15627, section 3.2). Sends and receives have lanes of their own per
// direction, and slots of their own: a receive is issued one micro-batch ahead, a send leaves while
// the next micro-batch is computed. Bits do not change.
void overlap_pipeline(PlanTemplate& plan_template);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_PIPELINE_OVERLAP_H_
