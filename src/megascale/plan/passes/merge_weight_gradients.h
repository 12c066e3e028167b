#ifndef MEGASCALE_PLAN_PASSES_MERGE_WEIGHT_GRADIENTS_H_
#define MEGASCALE_PLAN_PASSES_MERGE_WEIGHT_GRADIENTS_H_

#include "megascale/graph/program.h"

// The pass that computes the weight gradient of experts once for all pieces of their rows.
namespace megascale::plan {

// If experts are cut into pieces (overlap.expert_pieces), differentiate() emits one gradient product of
// a weight per piece. Each of them would read and write the whole gradient, which for few rows takes
// longer than the product. The pass merges those of equal size into one op with the attribute `pieces`, in the
// place of the last one. The rows and counts of the pieces become parts of tensors that the op reads as a whole.
//
// Must run after order_layers(), which knows no parts.
void merge_weight_gradients(graph::Program& program);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_MERGE_WEIGHT_GRADIENTS_H_
