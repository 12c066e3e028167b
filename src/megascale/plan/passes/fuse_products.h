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
// bias      linear_weight_gradient sums the gradient of its bias in the product (attribute sums_bias)
// linear_gelu_gradient and linear_add stand in the place of the second op, and only that op may read
// the tensor between the two. Only products of bfloat16 are fused, since devices have fused kernels
// for bfloat16 only, and products with 8-bit operands only with a residual sum.
//
// Must run before recompute(): recomputed ops are copies of forward ops and must be fused in the
// same way, or their values would differ in the last bits. Cannot be combined with split_tensor(),
// which cuts plain products only. Fusing changes the last bits, because the product is not rounded
// before the second op, and because the library adds up a bias gradient in an order of its own.
struct FuseProducts {
  bool gelu = false, residual = false, bias = false;
};
void fuse_products(graph::Program& program, const FuseProducts& options);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_FUSE_PRODUCTS_H_
