#ifndef MEGASCALE_PLAN_PASSES_QUANTISE_PRODUCTS_H_
#define MEGASCALE_PLAN_PASSES_QUANTISE_PRODUCTS_H_

#include "megascale/graph/program.h"

// The pass that gives the matrix units of devices operands of 8 bits (arXiv 2209.05433).
namespace megascale::plan {

// Replaces every product of bfloat16 with the attribute fp8 by a product of 8-bit codes, and puts in
// the ops that round its operands (graph/ops/quantised_ops.h): values and weights to e4m3, gradients
// to e5m2. All products of a layer that read a matrix share its rounding, also those of the backward,
// which then keeps codes and not the matrix. Weights are rounded once per step, before the first
// product that reads them, but see `keep_weights`. Only the sides that a product reads are written. The gradient of a bias is
// the sum of gradients that are not rounded. Weight gradients of experts stay products of bfloat16,
// and lose the attribute.
//
// With `keep_weights` false, codes of weights are activations: the forward and the backward of each
// micro-batch round what they read. A rank that does not keep whole weights (ZeRO stage 3) has no
// memory for all their codes. The codes are the same.
//
// Must run before recompute(), so that forward products are repeated with the same operands, and
// after fuse_products(). An activation that is computed again is rounded again, to the same codes.
struct QuantiseOptions {
  bool keep_weights = true;
};
void quantise_products(graph::Program& program, const QuantiseOptions& options = {});

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_QUANTISE_PRODUCTS_H_
