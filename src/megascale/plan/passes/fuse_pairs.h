#ifndef MEGASCALE_PLAN_PASSES_FUSE_PAIRS_H_
#define MEGASCALE_PLAN_PASSES_FUSE_PAIRS_H_

#include "megascale/graph/program.h"

// The pass behind the switch `overlap.fused_pairs`.
namespace megascale::plan {

// Marks pairs of a transfer and a matrix product that one kernel may compute tile by tile (MegaScale-MoE,
// arXiv 2505.11432, sections 6.2 and 6.3): Op::pair becomes their common number. Pairs are
//   a transfer of a tensor, context or expert group, and the product that reads what it brings
//   a product, and the transfer of such a group that sends its result
// Ops that move, change or add rows or heads in between (OpDef::tile_flow) belong to the pair. Other
// ops between them would stand in the way of one kernel, so they are issued before or behind the pair
// where dependencies allow it; where they do not, there is no pair. An op is part of one pair at most.
// Only ops of one layer are paired, not the loss unit and not recomputed ops.
//
// Dependencies are kept, so the bits do not change. Must run after all passes that move, copy or split
// ops.
void fuse_pairs(graph::Program& program);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_FUSE_PAIRS_H_
