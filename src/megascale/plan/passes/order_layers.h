#ifndef MEGASCALE_PLAN_PASSES_ORDER_LAYERS_H_
#define MEGASCALE_PLAN_PASSES_ORDER_LAYERS_H_

#include "megascale/graph/program.h"

// The pass behind the switch `overlap.layer_order`: the order of the ops of a layer with experts.
namespace megascale::plan {

// Orders the ops of every layer that has transfers of expert groups, forward and backward, such that
// computation runs during transfers (MegaScale-MoE, arXiv 2505.11432, fig. 8). In the backward
// the transfers of gradients hide behind recomputation and weight gradients, and repeated transfers
// behind products of gradients. In the forward the transfers of rows hide behind the shared expert.
//
// A layer is one scope, and ops never leave their scope. The order is a list schedule: of all ops
// that can start, the one with the longest chain of work behind it comes first; a repeated transfer
// waits for a product to run beside. Experts that are cut keep the order of their pieces. Times are those
// of a nominal device, so that the order is the same on every machine. Dependencies are kept, so the bits do
// not change.
//
// Must run after recompute() and hoist_transfers(). Needs a program without parts of tensors
// (split_tensor()).
void order_layers(graph::Program& program);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_ORDER_LAYERS_H_
