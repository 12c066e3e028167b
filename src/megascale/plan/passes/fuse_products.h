#ifndef MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_
#define MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_

#include "megascale/graph/program.h"

// The pass that fuses products with the element-wise op behind them.
namespace megascale::plan {

// Moves the op behind a matrix product into the product. A device then saves a round trip through
// memory.
// gelu      linear -> gelu                           becomes linear_gelu
//           linear_input_gradient -> gelu_gradient   becomes linear_gelu_gradient
// residual  linear -> add                            becomes linear_add
// In the last two cases the fused op stands in the place of the second op, and no other op may read
// the tensor between them. Only products of bfloat16 are fused, since devices have kernels for
// those.
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
