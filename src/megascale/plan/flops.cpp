// Adds up the costs of all tasks of a plan.
#include "megascale/plan/flops.h"

namespace megascale::plan {

StepFlops count_flops(const plan::StepPlan& plan) {
  StepFlops flops;
  for (const plan::Task& task : plan.tasks()) {
    const graph::Cost& cost = plan.op(task).cost;
    flops.model += cost.model_flops;
    flops.megatron += cost.megatron_flops;
    flops.executed += cost.flops;
  }
  return flops;
}

}  // namespace megascale::plan
