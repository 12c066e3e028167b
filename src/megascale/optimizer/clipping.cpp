// Gradient clipping by the global norm, and the decision to skip a step. Every rank needs the norm
// over all parameters of the model before it may change a weight. So the squares are summed per
// block, then per parameter, then over the ranks; each sum has one order, whatever the layout. The
// kernels of gradient_norm (kernels/*/optimizer) do the arithmetic of the decision.
#include "megascale/optimizer/clipping.h"

#include "megascale/graph/ops/ops.h"

namespace megascale::optimizer {

namespace attribute = graph::attribute;
namespace gradient_blocks = graph::gradient_blocks;
namespace gradient_norm = graph::gradient_norm;

Definition clip_gradients(double clip_norm) {
  Definition result;
  result.steps = {
      for_each_bucket(graph::gradient_blocks_op(), "optimizer/norm", /*by_parameter=*/false,
                      {{gradient_blocks::gradients, Value::gradients},
                       {gradient_blocks::blocks, {Value::norm_blocks, Norm::gradients}}}),
      AddNorms{.norm = Norm::gradients, .path = "optimizer/norm/parameters", .of_all_stages = true},
      once(graph::gradient_norm_op(), "optimizer/norm",
           {{gradient_norm::sums, {Value::norm_sums, Norm::gradients}},
            {gradient_norm::losses, Value::losses},
            {gradient_norm::numbers, Value::numbers},
            {gradient_norm::state, Value::update_state},
            {gradient_norm::scalars, Value::scalars}},
           {{attribute::clip_norm, clip_norm}})};
  return result;
}

}  // namespace megascale::optimizer
