// Overlap of the transfers inside a layer. A piece of a split product waits only for the rows that
// it reads. So the products of this rank's own rows and of earlier pieces hide the transfer of the
// next piece.
#include "megascale/plan/passes/tensor_overlap.h"

#include "megascale/plan/passes/overlap.h"

namespace megascale::plan {

void overlap_tensor(PlanTemplate& plan_template) {
  release_transfers(plan_template,
                    {graph::Lane::tensor, graph::Lane::context, graph::Lane::expert});
}

}  // namespace megascale::plan
