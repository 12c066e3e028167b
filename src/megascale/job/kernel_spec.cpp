// Fills in a kernels::KernelSpec from the fields of a plan::PlanOp, and asks kernels for their
// scratch memory.
#include "megascale/job/kernel_spec.h"

#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::job {

KernelSpecOf::KernelSpecOf(const plan::PlanOp& op, const graph::AxisSizes& axes,
                           const graph::Coordinates& coordinates, const KernelChoice& choice) {
  for (std::size_t i = 0; i < op.def->operands.size(); ++i)
    nbytes_.push_back(op.operands[i].buffer == plan::kNoBuffer ? 0 : op.operands[i].nbytes);
  for (const plan::RunTimeExtent& extent : op.extents) {
    if (extent.axis != 0) {
      throw Error(
          ErrorCode::unsupported,
          fmt::format("{} ({}): expected run-time counts of rows (axis 0) only, found operand "
                      "{} with a count of axis {}",
                      op.def->name, op.path, extent.operand, extent.axis));
    }
    counted_.push_back({.operand = extent.operand,
                        .count_operand = extent.count_operand,
                        .first = extent.first,
                        .terms = extent.terms});
  }
  spec_ = {.def = op.def,
           .attributes = &op.attributes,
           .tensors = op.tensors,
           .nbytes = nbytes_,
           .segments = op.segments,
           .counted = counted_,
           .axes = axes,
           .coordinates = coordinates,
           .cudnn = choice.cudnn,
           .cutlass = choice.cutlass,
           .deterministic = choice.deterministic,
           .matrix_unit = choice.matrix_unit,
           .gemm_choices = choice.gemm_choices,
           .threads = choice.threads,
           .scratch_nbytes = op.has_scratch ? op.operands.back().nbytes : 0};
}

const graph::Tensor* find_unsupported_dtype(const plan::StepPlan& plan, kernels::Device device) {
  if (device != kernels::Device::cpu) return nullptr;
  for (const plan::PlanOp& op : plan.ops()) {
    for (const auto& tensor : op.tensors) {
      if (tensor && tensor->dtype == DType::bfloat16) return &*tensor;
    }
  }
  return nullptr;
}

std::set<std::string> kinds_without_kernel(const plan::StepPlan& plan, const KernelChoice& choice) {
  std::set<std::string> kinds;
  for (const plan::PlanOp& op : plan.ops()) {
    if (op.def->transfer || op.def == &graph::load_batch_op()) continue;
    if (kernels::find_kernel(op.def->name, choice.device, choice.set) == nullptr)
      kinds.emplace(op.def->name);
  }
  return kinds;
}

std::string no_kernels_message(const std::set<std::string>& kinds) {
  return fmt::format(
      "these op kinds have no kernel on this device: {}; a plan with them can be sized and "
      "simulated (`megascale plan`, `simulate`), but not executed",
      fmt::join(kinds, " "));
}

std::uint64_t scratch_bytes(const plan::PlanOp& op, const KernelChoice& choice) {
  const kernels::Kernel* kernel = kernels::find_kernel(op.def->name, choice.device, choice.set);
  if (kernel == nullptr || kernel->scratch_bytes == nullptr) return 0;
  return kernel->scratch_bytes(KernelSpecOf(op, {}, {}, choice).get());
}

plan::ScratchSizer scratch_sizer(const KernelChoice& choice) {
  return [choice](const plan::PlanOp& op) { return scratch_bytes(op, choice); };
}

}  // namespace megascale::job
