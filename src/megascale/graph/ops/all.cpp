// The list of all op kinds. A new kind is added here, so that it is found by its name.
#include <algorithm>

#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/float8_parameter_ops.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"

namespace megascale::graph {

std::span<const OpDef* const> all_op_defs() {
  // clang-format off
  static const OpDef* const defs[] = {
    &embedding_op(), &embedding_gradient_op(), &linear_op(), &linear_input_gradient_op(),
    &linear_weight_gradient_op(), &linear_add_op(), &linear_gelu_op(), &linear_gelu_gradient_op(),
    &layer_norm_op(), &layer_norm_gradient_op(), &rms_norm_op(), &rms_norm_gradient_op(),
    &norm_mean_op(), &norm_centre_op(), &norm_rstd_op(), &norm_normalise_op(), &norm_scale_op(),
    &norm_scale_gradient_op(), &norm_gradient_means_op(), &norm_gradient_op(), &gelu_op(),
    &gelu_gradient_op(), &swiglu_op(), &swiglu_gradient_op(), &geglu_op(), &geglu_gradient_op(),
    &soft_cap_op(), &soft_cap_gradient_op(), &rope_table_op(), &rope_op(),
    &rope_gradient_op(), &latent_heads_op(), &latent_heads_gradient_op(), &head_norm_op(), &head_norm_gradient_op(), &head_norm_squares_op(), &head_norm_products_op(), &attention_op(),
    &attention_gradient_op(), &attention_scores_op(), &attention_scores_gradient_op(),
    &masked_softmax_op(), &masked_softmax_gradient_op(), &attention_values_op(),
    &attention_values_gradient_op(), &dropout_op(), &dropout_gradient_op(), &cached_attention_op(),
      &cached_latent_attention_op(), &last_rows_op(), &add_op(), &scale_op(), &add_bias_op(), &bias_gradient_op(), &logit_stats_op(),
      &cross_entropy_op(), &sequence_scores_op(), &preference_loss_op(), &host_copy_op(), &load_batch_op(), &gradient_blocks_op(),
    &parameter_norms_op(), &gradient_norm_op(), &clear_padding_op(), &pack_bfloat16_op(), &pack_shares_op(),
    &add_bfloat16_blocks_op(), &add_main_gradient_op(), &adamw_op(),
    &lamb_direction_op(), &lamb_apply_op(), &all_gather_op(), &reduce_scatter_op(),
    &all_reduce_op(), &all_to_all_op(), &all_to_all_v_op(), &shift_op(), &sum_blocks_op(),
    &broadcast_op(), &split_heads_op(), &join_heads_op(), &split_sequences_op(),
    &join_sequences_op(), &send_op(), &recv_op(), &route_op(), &route_gradient_op(),
    &router_losses_op(), &router_losses_gradient_op(), &dispatch_map_op(), &gather_rows_op(),
    &combine_rows_op(), &gather_weights_op(), &gather_weights_gradient_op(), &regroup_map_op(),
    &reorder_rows_op(), &grouped_linear_op(), &grouped_linear_input_gradient_op(),
    &grouped_linear_weight_gradient_op(), &grouped_linear_weight_gradient_added_op(), &gated_swiglu_op(), &gated_swiglu_gradient_op(),
    &join_rows_op(), &split_rows_op(),
    &cast_op(), &load_excess_op(), &update_choice_bias_op(), &record_routing_op(), &collect_records_op(),
    &keep_routes_op(), &pack_float8_op(), &unpack_float8_op(), &sum_float8_op(),
    &float8_counts_op(), &round_float8_op(), &float8_amax_op(), &quantise_float8_op(),
    &dequantise_float8_op(), &combine_weighted_rows_op(),
    &combine_weighted_rows_gradient_op(), &gate_rows_op(), &gate_rows_gradient_op(),
    &group_loads_op(), &drop_choices_op(), &matrix_amax_op(), &quantise_op(), &quantise_weight_op(), &transpose_codes_op(),
    &quantised_linear_op(), &quantised_input_gradient_op(), &quantised_weight_gradient_op(),
    &quantised_grouped_linear_op(), &quantised_grouped_input_gradient_op()};
  // clang-format on
  return defs;
}

const OpDef* find_op_def(std::string_view name) {
  const auto defs = all_op_defs();
  const auto found =
      std::find_if(defs.begin(), defs.end(), [&](const OpDef* def) { return def->name == name; });
  return found == defs.end() ? nullptr : *found;
}

}  // namespace megascale::graph
