// Adds up the costs of all tasks of a plan.
#include "megascale/plan/flops.h"

namespace megascale::plan {
namespace {

// Codes of 8 bits stand for bfloat16: a model's peak is that of its dtype.
bool reads_bfloat16(const PlanOp& op) {
  for (std::size_t i = 0; i < op.tensors.size(); ++i) {
    if (op.def->operands[i].access != graph::Access::read || !op.tensors[i]) continue;
    const DType dtype = op.tensors[i]->dtype;
    if (dtype == DType::bfloat16 || dtype == DType::uint8) return true;
  }
  return false;
}

}  // namespace

StepFlops count_flops(const plan::StepPlan& plan) {
  StepFlops flops;
  for (const plan::Task& task : plan.tasks()) {
    const PlanOp& op = plan.op(task);
    const graph::Cost& cost = op.cost;
    flops.model += cost.model_flops;
    flops.megatron += cost.megatron_flops;
    flops.executed += cost.flops;
    if (cost.flops > 0 && reads_bfloat16(op)) flops.bfloat16 += cost.flops;
  }
  return flops;
}

}  // namespace megascale::plan
