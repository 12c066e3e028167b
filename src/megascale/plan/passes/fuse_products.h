#ifndef MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_
#define MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_

#include "megascale/graph/program.h"

namespace megascale::plan {

// Puts what follows a matrix product into it, which a device then does without another way through
// memory:
//   gelu      linear -> gelu                           becomes linear_gelu
//             linear_input_gradient -> gelu_gradient   becomes linear_gelu_gradient
//   residual  linear -> add                            becomes linear_add
// (the latter two in the place of the second op) where nothing else reads what is between them.
// Products of bfloat16 only, which devices have kernels for; those of other dtypes stay as they
// are. Before recompute(), so that what is computed again is what was computed; not with
// split_tensor(), which cuts plain products. A product that is not rounded in between has other
// last bits.
struct FuseProducts {
  bool gelu = false, residual = false;
};
void fuse_products(graph::Program& program, const FuseProducts& options);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_
