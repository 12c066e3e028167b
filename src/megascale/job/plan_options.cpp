// One function per section of the configuration; no decisions beyond the translation, except which
// products can be fused.
#include "megascale/job/plan_options.h"

#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::job {

plan::RecomputePolicy recompute_policy(const RecomputeConfig& config) {
  using Kind = plan::RecomputePolicy::Kind;
  const Kind kind = config.granularity == RecomputeGranularity::selective ? Kind::selective
                    : config.granularity == RecomputeGranularity::selective_moe
                        ? Kind::selective_moe
                    : config.granularity == RecomputeGranularity::full ? Kind::full
                    : config.granularity == RecomputeGranularity::list ? Kind::list
                                                                       : Kind::none;
  return {.kind = kind,
          .ops = config.ops,
          .keep_gathered_input = config.keep_gathered_input,
          .whole_scopes = config.whole_layers};
}

parallel::Exchanges exchanges_of(const Config& config, const parallel::Schedule& schedule) {
  if (config.overlap.pipeline) return parallel::Exchanges::apart;
  if (schedule.chunks > 1) return parallel::Exchanges::joined;
  return schedule.splits_weight_gradients ? parallel::Exchanges::prompt
                                          : parallel::Exchanges::apart;
}

graph::AxisSizes axis_sizes(const Config& config) {
  const auto size = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  graph::AxisSizes sizes;
  sizes[graph::Axis::tensor] = size(config.parallel.tensor_model_parallel_size);
  sizes[graph::Axis::context] = size(config.parallel.context_parallel_size);
  sizes[graph::Axis::data] = size(data_parallel_size(config));
  sizes[graph::Axis::expert_tensor] = size(expert_tensor_parallel_size(config));
  sizes[graph::Axis::expert] = size(config.parallel.expert_model_parallel_size);
  sizes[graph::Axis::pipeline] = size(config.parallel.pipeline_model_parallel_size);
  if (config.parallel.hierarchical_reduction_pieces > 0)
    sizes.ranks_per_host = size(config.parallel.ranks_per_host);
  return sizes;
}

bool cuts_products(const Config& config) {
  return config.overlap.tensor_pieces > 0 && config.parallel.tensor_model_parallel_size > 1;
}

plan::FuseProducts fused_products(const Config& config) {
  const std::int64_t tensor = config.parallel.tensor_model_parallel_size;
  if (config.train.device != DeviceKind::cuda || config.model.dtype != DType::bfloat16 ||
      cuts_products(config))
    return {};
  // The output product has to be a plain one to be cut.
  const bool cuts_output =
      config.overlap.context_pieces > 0 && config.parallel.context_parallel_size > 1;
  const bool fits = config.model.ffn_hidden_size / tensor % 8 == 0;
  return {.gelu = config.kernels.fused_gelu && fits,
          .residual = config.kernels.fused_residual && !cuts_output,
          .bias = config.kernels.fused_bias_gradient};
}

void require_op_names(const Config& config) {
  for (const std::string& name : config.recompute.ops) {
    if (graph::find_op_def(name) == nullptr) {
      throw Error(
          ErrorCode::bad_usage,
          fmt::format("recompute.ops: expected names of ops as plans have them (plan --dump "
                      "writes one), found \"{}\"",
                      name));
    }
    // A separate GELU would be computed from sums already rounded to bfloat16. The results would
    // differ in the last bits from those of the forward pass.
    if (name == graph::gelu_op().name && fused_products(config).gelu) {
      throw Error(ErrorCode::bad_usage,
                  "recompute.ops: gelu is a part of the matrix product before it here: expected "
                  "linear_gelu, which repeats both, or kernels.fused_gelu = false");
    }
  }
}

}  // namespace megascale::job
