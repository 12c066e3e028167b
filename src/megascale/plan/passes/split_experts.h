#ifndef MEGASCALE_PLAN_PASSES_SPLIT_EXPERTS_H_
#define MEGASCALE_PLAN_PASSES_SPLIT_EXPERTS_H_

#include "megascale/graph/program.h"

// The pass that gives products of some experts only the weights of these.
namespace megascale::plan {

// If the experts of a rank are cut into pieces (overlap.expert_pieces, rows sent by all_to_all_v), the
// model writes products of a piece that name the weights of all experts, their codes and scales, or their
// gradients. The pass puts the part of the piece's experts in their place: a product touches nothing else, so products of different
// pieces may run at any time and each weight is read once.
//
// Must run after quantise_products(), which rounds all weights at once, after order_layers(), which knows
// no parts, and before merge_weight_gradients(), which would
// take the gradients of different experts for those of one weight.
void split_experts(graph::Program& program);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_SPLIT_EXPERTS_H_
