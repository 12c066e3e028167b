// Balancing of experts by a bias of their scores. The excesses of loads take the way of gradients: they
// are added over micro-batches and over the ranks that see different tokens.
#include "megascale/optimizer/choice_bias.h"

#include "megascale/graph/ops/ops.h"

namespace megascale::optimizer {

ForEachBucket move_choice_biases(double rate) {
  using enum graph::update_choice_bias::Operand;
  ForEachBucket step = for_each_bucket(
      graph::update_choice_bias_op(), "optimizer/choice_bias", /*by_parameter=*/false,
      {{biases, Value::masters}, {excess, Value::gradients}, {scalars, Value::scalars}},
      {{graph::attribute::bias_rate, rate}});
  step.rule = graph::UpdateRule::choice_bias;
  return step;
}

}  // namespace megascale::optimizer
