// Prices an op of the compute lane. Measured rates by op kind come first; without them a roofline
// model is used: the longer of FLOPs over a share of the peak and bytes over a share of the
// memory's rate. Matrix products also pay for whole tiles and whole rounds (product_tiles.h).
#include "megascale/simulate/compute_costs.h"

#include <algorithm>
#include <optional>

#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/simulate/product_tiles.h"

namespace megascale::simulate {
namespace {

using graph::Access;
using plan::PlanOp;

bool is_float32(const PlanOp& op) {
  for (const auto& tensor : op.tensors) {
    if (tensor && tensor->dtype == DType::bfloat16) return false;
  }
  return true;
}

// Returns the result of a product: the first tensor that the op writes. Null if the op has no
// tensors.
const graph::Tensor* result_of(const PlanOp& op) {
  for (std::size_t i = 0; i < op.tensors.size(); ++i) {
    if (op.tensors[i] && op.def->operands[i].access != Access::read) return &*op.tensors[i];
  }
  return nullptr;
}

// Returns the number of matrices that a product multiplies together: the experts of the rank, or 1.
std::int64_t experts_of(const PlanOp& op) {
  for (const auto& tensor : op.tensors) {
    if (tensor && tensor->shape.size() == 3) return tensor->shape[0].size;
  }
  return 1;
}

// The size of a product's result, of which each expert has one.
struct ResultSize {
  double rows = 0, columns = 0, groups = 1;
};
std::optional<ResultSize> result_size(const PlanOp& op) {
  const graph::Tensor* result = result_of(op);
  if (result == nullptr || result->shape.size() < 2) return std::nullopt;
  // A product of experts has a weight (or its gradient) of three dimensions: one matrix an expert.
  // Its other operands hold the rows of all experts.
  const auto groups = static_cast<double>(experts_of(op));
  const graph::Shape& shape = result->shape;
  const bool is_stack = shape.size() == 3;
  return ResultSize{.rows = is_stack ? static_cast<double>(shape[1].size)
                                     : static_cast<double>(shape[0].expected()) / groups,
                    .columns = static_cast<double>(shape.back().size),
                    .groups = groups};
}

// Returns the FLOPs per second of a product that keeps all multiprocessors busy.
double product_rate(const PlanOp& op, const Cluster::Device& device, double peak) {
  if (op.attributes.integer(graph::attribute::fp8, 0) == 0) return peak * device.gemm_efficiency;
  if (device.float8_tflops == 0) {
    throw Error(ErrorCode::unsupported,
                "model.fp8: the cluster file has no device.float8_tflops, so products of 8-bit "
                "operands have no rate; expected that key, or fp8 = none");
  }
  const double efficiency = device.float8_gemm_efficiency;
  return 1e12 * device.float8_tflops * (efficiency > 0 ? efficiency : device.gemm_efficiency);
}

double product_seconds(const PlanOp& op, const Cluster::Device& device, double peak) {
  const double seconds = op.cost.flops / product_rate(op, device, peak);
  const auto size = result_size(op);
  if (!size) return seconds;
  return seconds * tile_factor(size->rows, size->columns, device.multiprocessors, size->groups);
}

bool rounds_to_8_bits(const PlanOp& op) {
  return op.def == &graph::quantise_op() || op.def == &graph::quantise_weight_op();
}

// Returns the share of the memory's rate that an op reaches. An embedding's bytes are those of its
// table, of which it reads few, so they say little about the rows that it moves.
// elementwise_efficiency was fitted on steps without 8-bit operands, so it says nothing about the ops
// that make them.
const Curve& memory_efficiency_of(const PlanOp& op, const Cluster::Device& device) {
  const bool looks_up =
      op.def == &graph::embedding_op() || op.def == &graph::embedding_gradient_op();
  const bool makes_operands = rounds_to_8_bits(op) || op.def == &graph::matrix_amax_op() ||
                              op.def == &graph::transpose_codes_op();
  const bool has_own = !op.def->gemm && !looks_up && !makes_operands &&
                       !device.elementwise_efficiency.points.empty();
  return has_own ? device.elementwise_efficiency : device.memory_efficiency;
}

// Returns the seconds by the roofline model.
double modelled_seconds(const PlanOp& op, const Cluster::Device& device) {
  const double nbytes = bytes_touched(op);
  const double by_bytes =
      nbytes == 0
          ? 0.0
          : nbytes / (1e9 * device.memory_gb_per_s * memory_efficiency_of(op, device).at(nbytes));
  const double peak = 1e12 * (is_float32(op) ? device.float32_tflops : device.bfloat16_tflops);
  double by_flops = 0;
  if (op.def->gemm) {
    by_flops = product_seconds(op, device, peak);
  } else if (op.cost.flops > 0) {
    by_flops = op.cost.flops / (peak * device.attention_efficiency);
  }
  return std::max(by_bytes, by_flops);
}

// Returns the seconds by a measured rate; nothing if the kind was not measured.
std::optional<double> measured_seconds(const RatesByKind& rates, std::string_view kind,
                                       double work) {
  const auto found = rates.find(kind);
  if (found == rates.end() || work == 0) return std::nullopt;
  return work / (1e9 * found->second.at(work));
}

}  // namespace

double bytes_touched(const PlanOp& op) {
  // These name all values of a buffer, but touch a part only.
  if (op.def == &graph::pack_shares_op()) {
    return 2.0 * static_cast<double>(op.attributes.integer(graph::attribute::blocks)) *
           plan::expected_nbytes(op, graph::pack_shares::share);
  }
  if (op.def == &graph::clear_padding_op()) {
    // The segments are those of all shards.
    double of_tensors = 0;
    for (const plan::FlatSegment& tensor : op.segments)
      of_tensors += static_cast<double>(tensor.count * sizeof(float));
    const auto shards = static_cast<double>(op.attributes.integer(graph::attribute::shards, 1));
    return std::max(plan::expected_nbytes(op, graph::clear_padding::values) - of_tensors / shards,
                    0.0);
  }
  // Rounding reads a matrix for its largest value, unless that is given, and once more for its codes.
  double nbytes = rounds_to_8_bits(op) && !op.tensors[graph::quantise::amax]
                      ? plan::expected_nbytes(op, graph::quantise::input)
                      : 0;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const plan::Operand& operand = op.operands[i];
    if (operand.buffer == plan::kNoBuffer) continue;
    const bool both =
        operand.access == Access::accumulate || operand.access == Access::first_writes;
    nbytes += (both ? 2.0 : 1.0) * plan::expected_nbytes(op, i);
  }
  return nbytes;
}

double measured_work(const PlanOp& op, const Cluster::Kernels& kernels) {
  if (op.cost.flops == 0) return 0;
  return kernels.work_of(op.def->name, op.cost.flops, bytes_touched(op));
}

double product_rounds(const PlanOp& op, const Cluster& cluster) {
  const auto size = op.def->gemm ? result_size(op) : std::nullopt;
  if (!size) return 1;
  return tile_rounds(size->rows, size->columns, cluster.device.multiprocessors, size->groups);
}

double compute_seconds(const PlanOp& op, const Cluster& cluster) {
  const Cluster::Kernels& kernels = cluster.kernels;
  auto seconds = measured_seconds(kernels.gflop_per_s, op.def->name, measured_work(op, kernels));
  if (!seconds) seconds = measured_seconds(kernels.gb_per_s, op.def->name, bytes_touched(op));
  return seconds.value_or(modelled_seconds(op, cluster.device)) + 1e-6 * cluster.device.launch_us;
}

}  // namespace megascale::simulate
