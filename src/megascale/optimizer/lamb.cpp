// LAMB (You et al., arXiv 1904.00962, algorithm 2). The change of a parameter is Adam's direction,
// scaled by the trust ratio |weight| / |direction| of the whole parameter. The parts of a parameter
// may lie on several ranks, so the two norms are added over the ranks between the two ops:
//   lamb_direction  updates the moments, writes the direction over the gradients, and sums the
//                   squares of weights and directions per block
//   lamb_apply      weight -= learning rate x trust ratio x direction
// The ops stand in graph/ops/lamb.cpp, the formulas at the kernels (kernels/cpu/optimizer.h).
#include "megascale/optimizer/lamb.h"

#include "megascale/graph/ops/ops.h"
#include "megascale/optimizer/adamw.h"
#include "megascale/optimizer/clipping.h"

namespace megascale::optimizer {

namespace lamb_direction = graph::lamb_direction;
namespace lamb_apply = graph::lamb_apply;

Definition lamb(const OptimizerConfig& config) {
  Definition result = clip_gradients(config.clip_grad);
  const Norm weights = result.add_norm("weight");
  const Norm directions = result.add_norm("direction");
  result.steps.emplace_back(
      for_each_bucket(graph::lamb_direction_op(), "optimizer/lamb/direction", /*by_parameter=*/true,
                      {{lamb_direction::parameters, Value::masters},
                       {lamb_direction::gradients, Value::gradients},
                       {lamb_direction::first_moment, Value::first_moment},
                       {lamb_direction::second_moment, Value::second_moment},
                       {lamb_direction::scalars, Value::scalars},
                       {lamb_direction::weight_blocks, {Value::norm_blocks, weights}},
                       {lamb_direction::direction_blocks, {Value::norm_blocks, directions}}},
                      adam_attributes(config)));
  // A stage needs the norms of its own parameters only, so they are not added over the stages.
  result.steps.emplace_back(AddNorms{.norm = weights, .path = "optimizer/lamb/weights"});
  result.steps.emplace_back(AddNorms{.norm = directions, .path = "optimizer/lamb/directions"});
  result.steps.emplace_back(
      for_each_bucket(graph::lamb_apply_op(), "optimizer/lamb/apply", /*by_parameter=*/true,
                      {{lamb_apply::parameters, Value::masters},
                       {lamb_apply::direction, Value::gradients},
                       {lamb_apply::scalars, Value::scalars},
                       {lamb_apply::weight_sums, {Value::norm_sums, weights}},
                       {lamb_apply::direction_sums, {Value::norm_sums, directions}},
                       {lamb_apply::model_parameters, Value::model_parameters}}));
  return result;
}

}  // namespace megascale::optimizer
