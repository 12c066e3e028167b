#ifndef MEGASCALE_PLAN_PASSES_SPLIT_TENSOR_H_
#define MEGASCALE_PLAN_PASSES_SPLIT_TENSOR_H_

#include "megascale/graph/program.h"

namespace megascale::plan {

// Fuses tensor-parallel transfers with the matrix products beside them (2402.15627, section 3.2),
// as pieces: a piece is a part of the rows of one peer.
//   all_gather -> product    becomes a shift per peer and piece, and a product for each piece that
//   comes in; this rank's
//                            own rows are multiplied first, from where they are gathered, by all
//                            weights that they meet
//   product -> reduce_scatter becomes a product for each piece, other ranks' rows first, a shift
//   that takes each away, and the
//                            sum of what came in, in rank order
// (an addition between the product and the reduce-scatter is cut with it). With `overlap` off the
// products are cut in the same way, so that the bits are equal, and the transfers stay whole.
struct SplitTensor {
  std::uint32_t ranks = 1;   // of the tensor axis
  std::uint32_t pieces = 0;  // of what one peer sends; 0: nothing is cut
  bool overlap = true;
};
// Rows of a rank's share must divide by `pieces`.
void split_tensor(graph::Program& program, const SplitTensor& options);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_SPLIT_TENSOR_H_
