// AdamW (Loshchilov and Hutter, arXiv 1711.05101). Every element is updated by itself, so one op per
// bucket suffices. The formula stands at the kernel (kernels/cpu/optimizer.h).
#include "megascale/optimizer/adamw.h"

#include "megascale/graph/ops/ops.h"
#include "megascale/optimizer/clipping.h"

namespace megascale::optimizer {

namespace attribute = graph::attribute;

graph::Attributes adam_attributes(const OptimizerConfig& config) {
  return {{attribute::beta1, config.adam_beta1},
          {attribute::beta2, config.adam_beta2},
          {attribute::epsilon, config.adam_eps},
          {attribute::weight_decay, config.weight_decay}};
}

Definition adamw(const OptimizerConfig& config) {
  using enum graph::adamw::Operand;
  Definition result = clip_gradients(config.clip_grad);
  result.steps.emplace_back(for_each_bucket(graph::adamw_op(), "optimizer/adamw",
                                            /*by_parameter=*/true,
                                            {{parameters, Value::masters},
                                             {gradients, Value::gradients},
                                             {first_moment, Value::first_moment},
                                             {second_moment, Value::second_moment},
                                             {scalars, Value::scalars},
                                             {model_parameters, Value::model_parameters}},
                                            adam_attributes(config)));
  return result;
}

}  // namespace megascale::optimizer
