#include "megascale/cli/device_roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "megascale/cuda/device.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/cuda/gemm_choices.h"

namespace megascale::cli {
namespace {

std::string_view name_of(kernels::cuda::GemmKind kind) {
  constexpr std::array<std::string_view, 3> kNames{"forward", "input_gradient", "weight_gradient"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

void RoofArguments::add_to(Command& command) {
  command
      .option("--gemm-sizes", sizes.gemm_sizes,
              "rows and columns of square products, of which the fastest is the roof (CUDA)")
      .separated_by_commas()
      .between(1, 1 << 15)
      .shows_default();
  command
      .option("--copy", sizes.copied_nbytes,
              "bytes of the copy whose speed is the roof of memory, 256m or 1g (CUDA)")
      .in_bytes()
      .between(1 << 10, std::int64_t{1} << 36)
      .shows_default();
}

DeviceRoofs measure_device_roofs(const Config& config, const kernels::cuda::RoofSizes& sizes) {
  kernels::cuda::GemmChoices* const choices =
      config.kernels.gemm_choices.empty()
          ? nullptr
          : &kernels::cuda::GemmChoices::at(config.kernels.gemm_choices);
  return {.measured = kernels::cuda::measure_roofs({.dtype = config.model.dtype,
                                                    .fp8 = config.model.fp8 != Fp8Format::none,
                                                    .choices = choices},
                                                   sizes),
          .published_flops = cuda::published_flops(0, config.model.dtype)};
}

void print(const DeviceRoofs& roofs) {
  const kernels::cuda::Roofs& measured = roofs.measured;
  fmt::print(
      "roofs: best GEMM {:.1f} TFLOP/s ({}, {} square, {}), {:.1f}% of the published {:.1f}; ",
      measured.gemm.flops * 1e-12, name_of(measured.gemm.config.kind), measured.gemm.config.rows,
      to_string(measured.gemm.config.dtype), 100 * measured.gemm.flops / roofs.published_flops,
      roofs.published_flops * 1e-12);
  if (measured.fp8_gemm.flops > 0) {
    fmt::print("with 8-bit operands {:.1f} TFLOP/s ({}, {} square); ",
               measured.fp8_gemm.flops * 1e-12, name_of(measured.fp8_gemm.config.kind),
               measured.fp8_gemm.config.rows);
  }
  fmt::print("copy {:.1f} GB/s (read and written, {:.0f} MiB)\n", measured.bytes_per_second * 1e-9,
             static_cast<double>(measured.copied_nbytes) / (1U << 20U));
}

nlohmann::ordered_json to_json(const DeviceRoofs& roofs) {
  const kernels::cuda::Roofs& measured = roofs.measured;
  nlohmann::ordered_json json{{"gemm_flops", measured.gemm.flops},
                              {"gemm_kind", name_of(measured.gemm.config.kind)},
                              {"gemm_size", measured.gemm.config.rows},
                              {"gemm_dtype", to_string(measured.gemm.config.dtype)},
                              {"published_flops", roofs.published_flops},
                              {"copy_bytes_per_second", measured.bytes_per_second},
                              {"copied_bytes", measured.copied_nbytes}};
  if (measured.fp8_gemm.flops > 0) json["fp8_gemm_flops"] = measured.fp8_gemm.flops;
  return json;
}

nlohmann::ordered_json to_json(const cuda::SensorSummary& sensors) {
  if (!sensors.why_not.empty()) return {{"why_not", sensors.why_not}};
  nlohmann::ordered_json json{{"readings", sensors.readings}};
  if (sensors.sm_mhz_max) json["sm_mhz_max"] = *sensors.sm_mhz_max;
  const auto put = [&](const char* name, const std::optional<cuda::SensorSummary::Range>& range) {
    if (range) json[name] = {{"median", range->median}, {"min", range->min}, {"max", range->max}};
  };
  put("sm_mhz", sensors.sm_mhz);
  put("memory_mhz", sensors.memory_mhz);
  put("watts", sensors.watts);
  put("celsius", sensors.celsius);
  if (sensors.limits) json["clock_limits"] = *sensors.limits;
  return json;
}

double least_nbytes(const plan::StepPlan& plan, const plan::Task& task) {
  const plan::PlanOp& op = plan.op(task);
  const bool looks_up =
      op.def == &graph::embedding_op() || op.def == &graph::embedding_gradient_op();
  double sum = 0;
  // Behind the kind's operands stand counts and scratch.
  for (std::size_t i = 0; i < op.def->operands.size(); ++i) {
    const plan::Operand& operand = op.operands[i];
    if (operand.buffer == plan::kNoBuffer) continue;
    const graph::Access access = plan::StepPlan::access(task, operand);
    const bool is_table = op.def->operands[i].name.find("table") != std::string_view::npos;
    if (looks_up && is_table && access != graph::Access::write) continue;
    const double times = access == graph::Access::accumulate ? 2 : 1;
    sum += times * static_cast<double>(operand.nbytes);
  }
  return sum;
}

OpClass class_of(const graph::OpDef& def) {
  if (def.gemm) return OpClass::gemm;
  if (&def == &graph::attention_op() || &def == &graph::attention_gradient_op())
    return OpClass::attention;
  return OpClass::rest;
}

double best_flops(const plan::PlanOp& op, const kernels::cuda::Roofs& roofs) {
  return op.attributes.integer("fp8", 0) != 0 ? roofs.fp8_gemm.flops : roofs.gemm.flops;
}

double floor_seconds(const plan::StepPlan& plan, const plan::Task& task,
                     const kernels::cuda::Roofs& roofs) {
  const plan::PlanOp& op = plan.op(task);
  const double by_bytes = least_nbytes(plan, task) / roofs.bytes_per_second;
  if (class_of(*op.def) == OpClass::rest) return by_bytes;
  return std::max(by_bytes, op.cost.flops / best_flops(op, roofs));
}

}  // namespace megascale::cli
