#ifndef MEGASCALE_PLAN_PASSES_TENSOR_OVERLAP_H_
#define MEGASCALE_PLAN_PASSES_TENSOR_OVERLAP_H_

#include "megascale/plan/template.h"

// The pass behind the switch `overlap.tensor`.
namespace megascale::plan {

// Lets the transfers of tensor, context and expert groups run beside computation (MegaScale, arXiv
// 2402.15627, section 3.2). Two passes over chunk programs prepare for it. split_tensor() cuts a
// transfer and the products beside it into pieces; hoist_transfers() issues a transfer as early as
// its input exists. Bits do not change.
void overlap_tensor(PlanTemplate& plan_template);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_TENSOR_OVERLAP_H_
