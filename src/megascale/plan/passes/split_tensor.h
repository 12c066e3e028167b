#ifndef MEGASCALE_PLAN_PASSES_SPLIT_TENSOR_H_
#define MEGASCALE_PLAN_PASSES_SPLIT_TENSOR_H_

#include "megascale/graph/program.h"

// The pass that cuts tensor-parallel transfers and the products beside them into pieces, so that
// they can overlap (MegaScale, arXiv 2402.15627, section 3.2).
namespace megascale::plan {

// A piece is a part of the rows of one peer. Two patterns are cut:
//
// all_gather -> product      becomes a shift per peer and piece, and one product per piece that
//                            arrives. This rank's own rows come first: they are multiplied with all
//                            weights that read the gathered tensor while the shifts run.
// product -> reduce_scatter  becomes one product per piece, the rows of other ranks first, a shift
//                            that sends each piece away, and the sum of the received blocks in rank
//                            order. An addition between the two is cut with the product.
//
// With `overlap` off, the products are cut in the same way, so that the bits are equal, but the
// transfers stay whole. Splitting itself changes the shapes of products, and so the last bits.
struct SplitTensor {
  std::uint32_t ranks = 1;   // size of the tensor axis
  std::uint32_t pieces = 0;  // number of pieces in one peer's block; 0: nothing is cut
  bool overlap = true;
};
// Rewrites the forward and the backward program. The rows of a rank's share must be a multiple of
// `pieces`; anything else is a bug.
void split_tensor(graph::Program& program, const SplitTensor& options);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_SPLIT_TENSOR_H_
