// The table of op kinds, and the sizes of their scratch. Nothing here needs a device: sizes follow
// from the shapes alone, so that a build without CUDA plans, sizes and simulates jobs for devices.
#include "megascale/kernels/cuda/functions/table.h"

#include <algorithm>
#include <array>

#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/cuda/dispatch_map.h"
#include "megascale/kernels/cuda/drop_choices.h"
#include "megascale/kernels/cuda/elementwise.h"
#include "megascale/kernels/cuda/embedding.h"
#include "megascale/kernels/cuda/functions/attention_operands.h"
#include "megascale/kernels/cuda/functions/grouped_products.h"
#include "megascale/kernels/cuda/functions/head_norm_shape.h"
#include "megascale/kernels/cuda/functions/linear_products.h"
#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/norm.h"
#include "megascale/kernels/cuda/quantise.h"
#include "megascale/kernels/cuda/router_losses.h"
#include "megascale/kernels/function.h"

namespace megascale::kernels::cuda {
namespace {

std::uint64_t scratch_product(const KernelSpec&) { return kGemmWorkspaceNbytes; }
std::uint64_t scratch_weight_gradient(const KernelSpec& spec) {
  using enum graph::linear_weight_gradient::Operand;
  if (!spec.has(bias_gradient)) return kGemmWorkspaceNbytes;
  const std::size_t outputs = spec.size(gradient, 1);
  // The gradient of one micro-batch lies behind the workspace until it is added.
  if (sums_bias(spec)) return kGemmWorkspaceNbytes + outputs * sizeof(float);
  return std::max<std::uint64_t>(kGemmWorkspaceNbytes, column_sum_scratch_bytes(outputs));
}
std::uint64_t scratch_quantise(const KernelSpec& spec) {
  if (spec.has(graph::quantise::amax)) return 0;
  return quantise_parts(quantised_matrices(spec)) * sizeof(float);
}
std::uint64_t scratch_matrix_amax(const KernelSpec&) { return quantise_parts(1) * sizeof(float); }
std::uint64_t scratch_bias_gradient(const KernelSpec& spec) {
  return column_sum_scratch_bytes(spec.size(graph::bias_gradient::gradient, 1));
}
template <class Operand>
std::uint64_t scratch_norm_gradient(const KernelSpec& spec) {
  return norm_gradient_scratch_bytes(spec.size(Operand::input, 1));
}
std::uint64_t scratch_head_norm_gradient(const KernelSpec& spec) {
  return head_norm_gradient_scratch_bytes(head_norm_shape(spec, graph::head_norm_gradient::input));
}
std::uint64_t scratch_embedding_gradient(const KernelSpec& spec) {
  using enum graph::embedding_gradient::Operand;
  return embedding_gradient_scratch_bytes(spec.size(gradient, 0), spec.size(gradient, 1));
}
std::uint64_t scratch_loss(const KernelSpec& spec) {
  return spec.size(graph::cross_entropy::logits, 0) * sizeof(float);
}

std::uint64_t scratch_attention(const KernelSpec& spec) {
  return attention_scratch_bytes(spec, graph::attention::qkv, graph::attention::segments,
                                 Direction::forward);
}
std::uint64_t scratch_attention_gradient(const KernelSpec& spec) {
  return attention_scratch_bytes(spec, graph::attention_gradient::qkv,
                                 graph::attention_gradient::segments, Direction::backward);
}

std::uint64_t scratch_dispatch_map(const KernelSpec& spec) {
  using enum graph::dispatch_map::Operand;
  return dispatch_map_scratch_bytes(spec.size(choices, 0) * spec.size(choices, 1),
                                    spec.size(counts, 0));
}
std::uint64_t scratch_router_losses(const KernelSpec& spec) {
  return router_losses_scratch_bytes(spec.size(graph::router_losses::logits, 1));
}
std::uint64_t scratch_router_losses_gradient(const KernelSpec& spec) {
  return (spec.size(graph::router_losses_gradient::logits, 1) + 1) * sizeof(float);
}
std::uint64_t scratch_drop_choices(const KernelSpec& spec) {
  return drop_choices_scratch_bytes(
      static_cast<std::size_t>(spec.attribute(graph::attribute::device_groups)));
}

std::uint64_t scratch_grouped(const KernelSpec& spec) {
  using enum graph::grouped_linear::Operand;
  return grouped_scratch_bytes(spec, rows_product(spec, GemmKind::forward, input, weight));
}
std::uint64_t scratch_grouped_input_gradient(const KernelSpec& spec) {
  using enum graph::grouped_linear_input_gradient::Operand;
  return grouped_scratch_bytes(spec,
                               rows_product(spec, GemmKind::input_gradient, gradient, weight));
}
std::uint64_t scratch_grouped_weight_gradient(const KernelSpec& spec) {
  return grouped_scratch_bytes(spec, weights_product(spec));
}
template <GemmKind kKind>
std::uint64_t scratch_quantised_grouped(const KernelSpec& spec) {
  return grouped_scratch_bytes(spec, quantised_rows_product(spec, kKind));
}

constexpr Device kCuda = Device::cuda;
constexpr bool kSeveral = true;
constexpr std::array kKernels{
    Kernel{"linear", kCuda, prepare, scratch_product, kCountedRows},
    Kernel{"linear_input_gradient", kCuda, prepare, scratch_product, kCountedRows},
    Kernel{"linear_add", kCuda, prepare, scratch_product, kCountedRows},
    Kernel{"linear_gelu", kCuda, prepare, scratch_product, kCountedRows},
    Kernel{"linear_gelu_gradient", kCuda, prepare, scratch_product, kCountedRows},
    Kernel{"matrix_amax", kCuda, prepare, scratch_matrix_amax},
    Kernel{"quantise", kCuda, prepare, scratch_quantise, kCountedRows},
    Kernel{"quantise_weight", kCuda, prepare, scratch_quantise},
    Kernel{"transpose_codes", kCuda, prepare, nullptr},
    Kernel{"quantised_linear", kCuda, prepare, scratch_product, kCountedRows},
    Kernel{"quantised_input_gradient", kCuda, prepare, scratch_product, kCountedRows},
    Kernel{"quantised_weight_gradient", kCuda, prepare, scratch_product},
    Kernel{"linear_weight_gradient", kCuda, prepare, scratch_weight_gradient, kCountedRows},
    Kernel{"layer_norm", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"layer_norm_gradient", kCuda, prepare,
           scratch_norm_gradient<graph::layer_norm_gradient::Operand>, kCountedRows},
    Kernel{"rms_norm", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"rms_norm_gradient", kCuda, prepare,
           scratch_norm_gradient<graph::rms_norm_gradient::Operand>, kCountedRows},
    Kernel{"head_norm", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"head_norm_gradient", kCuda, prepare, scratch_head_norm_gradient, kCountedRows},
    Kernel{"head_norm_squares", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"head_norm_products", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"embedding", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"embedding_gradient", kCuda, prepare, scratch_embedding_gradient, kCountedRows},
    Kernel{"gelu", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"gelu_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"swiglu", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"swiglu_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"geglu", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"geglu_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"soft_cap", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"soft_cap_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"add", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"scale", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"add_bias", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"bias_gradient", kCuda, prepare, scratch_bias_gradient, kCountedRows},
    Kernel{"sum_blocks", kCuda, prepare, nullptr},
    Kernel{"rope_table", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"rope", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"rope_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"latent_heads", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"latent_heads_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"host_copy", kCuda, prepare, nullptr},
    Kernel{"attention", kCuda, prepare, scratch_attention},
    Kernel{"attention_gradient", kCuda, prepare, scratch_attention_gradient},
    Kernel{"split_heads", kCuda, prepare, nullptr},
    Kernel{"join_heads", kCuda, prepare, nullptr},
    Kernel{"split_sequences", kCuda, prepare, nullptr},
    Kernel{"join_sequences", kCuda, prepare, nullptr},
    Kernel{"logit_stats", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"cross_entropy", kCuda, prepare, scratch_loss, kCountedRows},
    Kernel{"sequence_scores", kCuda, prepare, nullptr},
    Kernel{"preference_loss", kCuda, prepare, nullptr},
    Kernel{"gradient_blocks", kCuda, prepare, nullptr},
    Kernel{"add_main_gradient", kCuda, prepare, nullptr},
    Kernel{"clear_padding", kCuda, prepare, nullptr},
    Kernel{"pack_bfloat16", kCuda, prepare, nullptr},
    Kernel{"pack_shares", kCuda, prepare, nullptr},
    Kernel{"add_bfloat16_blocks", kCuda, prepare, nullptr},
    Kernel{"parameter_norms", kCuda, prepare, nullptr},
    Kernel{"gradient_norm", kCuda, prepare, nullptr},
    Kernel{"adamw", kCuda, prepare, nullptr},
    Kernel{"lamb_direction", kCuda, prepare, nullptr},
    Kernel{"lamb_apply", kCuda, prepare, nullptr},
    Kernel{"route", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"route_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"group_loads", kCuda, prepare, nullptr},
    Kernel{"drop_choices", kCuda, prepare, scratch_drop_choices},
    Kernel{"router_losses", kCuda, prepare, scratch_router_losses},
    Kernel{"router_losses_gradient", kCuda, prepare, scratch_router_losses_gradient},
    Kernel{"load_excess", kCuda, prepare, nullptr},
    Kernel{"update_choice_bias", kCuda, prepare, nullptr},
    Kernel{"keep_routes", kCuda, prepare, nullptr},
    Kernel{"record_routing", kCuda, prepare, nullptr},
    Kernel{"collect_records", kCuda, prepare, nullptr},
    Kernel{"dispatch_map", kCuda, prepare, scratch_dispatch_map, kCountedRows},
    Kernel{"gather_rows", kCuda, prepare, nullptr, kCountedRows, kSeveral},
    Kernel{"combine_rows", kCuda, prepare, nullptr, kCountedRows, kSeveral},
    Kernel{"combine_weighted_rows", kCuda, prepare, nullptr, kCountedRows, kSeveral},
    Kernel{"combine_weighted_rows_gradient", kCuda, prepare, nullptr, kCountedRows, kSeveral},
    Kernel{"gather_weights", kCuda, prepare, nullptr, kCountedRows, kSeveral},
    Kernel{"gather_weights_gradient", kCuda, prepare, nullptr, kCountedRows, kSeveral},
    Kernel{"regroup_map", kCuda, prepare, nullptr},
    Kernel{"reorder_rows", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"join_rows", kCuda, prepare, nullptr},
    Kernel{"split_rows", kCuda, prepare, nullptr},
    Kernel{"grouped_linear", kCuda, prepare, scratch_grouped, kCountedRows},
    Kernel{"grouped_linear_input_gradient", kCuda, prepare, scratch_grouped_input_gradient,
           kCountedRows},
    Kernel{"quantised_grouped_linear", kCuda, prepare, scratch_quantised_grouped<GemmKind::forward>,
           kCountedRows},
    Kernel{"quantised_grouped_input_gradient", kCuda, prepare,
           scratch_quantised_grouped<GemmKind::input_gradient>, kCountedRows},
    Kernel{"grouped_linear_weight_gradient", kCuda, prepare, scratch_grouped_weight_gradient,
           kCountedRows},
    Kernel{"grouped_linear_weight_gradient_added", kCuda, prepare, scratch_grouped_weight_gradient,
           kCountedRows},
    Kernel{"gated_swiglu", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"gated_swiglu_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"gate_rows", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"gate_rows_gradient", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"cast", kCuda, prepare, nullptr, kCountedRows},
    Kernel{"pack_float8", kCuda, prepare, nullptr, kCountedRows, kSeveral},
    Kernel{"unpack_float8", kCuda, prepare, nullptr, kCountedRows, kSeveral},
    Kernel{"sum_float8", kCuda, prepare, nullptr},
    Kernel{"float8_counts", kCuda, prepare, nullptr}};

}  // namespace

std::span<const Kernel> kernels() { return kKernels; }

}  // namespace megascale::kernels::cuda
