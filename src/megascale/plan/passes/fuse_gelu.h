#ifndef MEGASCALE_PLAN_PASSES_FUSE_GELU_H_
#define MEGASCALE_PLAN_PASSES_FUSE_GELU_H_

#include "megascale/graph/program.h"

namespace megascale::plan {

// Puts GELU and its gradient into the matrix products before them, which a device computes without
// another way through memory:
//   linear -> gelu                              becomes linear_gelu
//   linear_input_gradient -> gelu_gradient      becomes linear_gelu_gradient, in the latter's place
// where nothing else reads what is between them. Before recompute(), so that what is computed again
// is what was computed; not with split_tensor(), which cuts plain products. A product that is not
// rounded before GELU has other last bits.
void fuse_gelu(graph::Program& program);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_FUSE_GELU_H_
