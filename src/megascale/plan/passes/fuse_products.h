#ifndef MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_
#define MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_

#include "megascale/graph/program.h"

// The pass that fuses matrix products with the element-wise op after them.
namespace megascale::plan {

// Moves the op after a matrix product into the product. The result of the product then does not go
// through device memory.
// gelu      linear -> gelu                           becomes linear_gelu
//           linear_input_gradient -> gelu_gradient   becomes linear_gelu_gradient
// residual  linear -> add                            becomes linear_add
// In the last two cases the fused op stands in the place of the second op, and only that op may
// read the tensor between the two. Only products of bfloat16 are fused, since devices have fused
// kernels for bfloat16 only.
//
// Must run before recompute(): recomputed ops are copies of forward ops and must be fused in the
// same way, or their values would differ in the last bits. Cannot be combined with split_tensor(),
// which cuts plain products only. Fusing changes the last bits, because the product is not rounded
// before the second op.
struct FuseProducts {
  bool gelu = false, residual = false;
};
void fuse_products(graph::Program& program, const FuseProducts& options);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_
