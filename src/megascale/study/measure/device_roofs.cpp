// Measures the roofs of a device, and computes how fast a task could be at these roofs (a roofline
// model: FLOPs over the best FLOP/s, bytes over the best bandwidth).
#include "megascale/study/measure/device_roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "megascale/cuda/device.h"
#include "megascale/graph/ops/grouped_products.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/cuda/gemm_choices.h"

namespace megascale::study {

kernels::cuda::GemmChoices* gemm_choices(const Config& config) {
  if (config.kernels.gemm_choices.empty()) return nullptr;
  return &kernels::cuda::GemmChoices::at(config.kernels.gemm_choices);
}

DeviceRoofs measure_device_roofs(const Config& config, DType dtype,
                                 const kernels::cuda::RoofSizes& sizes) {
  return {.measured = kernels::cuda::measure_roofs({.dtype = dtype,
                                                    .fp8 = config.model.fp8 != Fp8Format::none,
                                                    .choices = gemm_choices(config)},
                                                   sizes),
          .published_flops = cuda::published_flops(0, dtype)};
}

// Returns true for a table of words or positions. An op touches only those of its rows that the
// tokens select.
bool is_table(const graph::OpDef& def, std::size_t operand) {
  if (&def == &graph::embedding_op())
    return operand == graph::embedding::table || operand == graph::embedding::position_table;
  return &def == &graph::embedding_gradient_op() &&
         (operand == graph::embedding_gradient::table_gradient ||
          operand == graph::embedding_gradient::position_table_gradient);
}

double least_nbytes(const plan::StepPlan& plan, const plan::Task& task) {
  const plan::PlanOp& op = plan.op(task);
  double sum = 0;
  // A task's operands are those of its op kind, then counts and scratch. Only the first are
  // counted.
  for (std::size_t i = 0; i < op.def->operands.size(); ++i) {
    const plan::Operand& operand = op.operands[i];
    if (operand.buffer == plan::kNoBuffer) continue;
    const graph::Access access = plan::StepPlan::access(task, operand);
    if (is_table(*op.def, i) && access != graph::Access::write) continue;
    const double times = access == graph::Access::accumulate ? 2 : 1;
    sum += times * plan::expected_nbytes(op, i);
  }
  return sum;
}

OpClass class_of(const graph::OpDef& def) {
  if (graph::is_grouped_product(def)) return OpClass::grouped_gemm;
  if (def.gemm) return OpClass::gemm;
  if (&def == &graph::attention_op() || &def == &graph::attention_gradient_op())
    return OpClass::attention;
  return OpClass::rest;
}

double best_flops(const plan::PlanOp& op, const kernels::cuda::Roofs& roofs) {
  return op.attributes.integer(graph::attribute::fp8, 0) != 0 ? roofs.fp8_gemm.flops
                                                              : roofs.gemm.flops;
}

double floor_seconds(const plan::StepPlan& plan, const plan::Task& task,
                     const kernels::cuda::Roofs& roofs) {
  const plan::PlanOp& op = plan.op(task);
  const double by_bytes = least_nbytes(plan, task) / roofs.bytes_per_second;
  if (class_of(*op.def) == OpClass::rest) return by_bytes;
  return std::max(by_bytes, op.cost.flops / best_flops(op, roofs));
}

}  // namespace megascale::study
