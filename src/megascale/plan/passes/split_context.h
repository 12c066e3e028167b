#ifndef MEGASCALE_PLAN_PASSES_SPLIT_CONTEXT_H_
#define MEGASCALE_PLAN_PASSES_SPLIT_CONTEXT_H_

#include "megascale/graph/program.h"

// The pass that cuts the exchanges around attention of context parallelism, and the products beside
// them, into pieces that overlap (MegaScale-MoE, arXiv 2505.11432, section 6.2: the fused pairs of
// the query-key-value product and all_to_all, and of all_to_all and the output product).
namespace megascale::plan {

// A piece is a part of the tokens of a rank. Two patterns are cut, forward and backward:
//
// product -> all_to_all      each piece is multiplied and packed by heads; shifts send its blocks away
//                            while the next piece is multiplied
// all_to_all -> product      shifts bring the tokens of each piece from all ranks; a piece is unpacked
//                            and multiplied while the next arrives
//
// Ops between the two that compute each row by itself (OpDef::row_operands), such as rotary
// embedding, are cut with them. In a shift by k a rank receives from the rank that is k further, so
// at no time do all ranks send to one.
//
// With `overlap` off, the products are cut in the same way, so that the bits are equal, but the
// transfers stay whole. Splitting itself changes the shapes of products, and so the last bits.
struct SplitContext {
  std::uint32_t ranks = 1;   // size of the context axis
  std::uint32_t pieces = 0;  // number of pieces of a rank's tokens; 0: nothing is cut
  bool overlap = true;
};
// Rewrites the forward and the backward program. Must run after the passes that order ops. The rows
// of the products must be a multiple of `pieces`; anything else is a bug. Products that another pass
// has cut or fused stay as they are.
void split_context(graph::Program& program, const SplitContext& options);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_SPLIT_CONTEXT_H_
