#ifndef MEGASCALE_PLAN_PASSES_PIPELINE_OVERLAP_H_
#define MEGASCALE_PLAN_PASSES_PIPELINE_OVERLAP_H_

#include "megascale/plan/template.h"

// The pass behind the switch `overlap.pipeline`.
namespace megascale::plan {

// Lets sends and receives between pipeline stages run beside computation (MegaScale, arXiv
// 2402.15627, section 3.2). Each direction has a lane for sends, a lane for receives, and slots of
// its own. So a receive can be issued one micro-batch ahead, and a send can run while the next
// micro-batch is computed. Bits do not change.
void overlap_pipeline(PlanTemplate& plan_template);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_PIPELINE_OVERLAP_H_
