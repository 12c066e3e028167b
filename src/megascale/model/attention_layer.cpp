// The attention branch of a layer: query, key and value projection, the norm of heads (Qwen3) or of all
// heads (OLMo 2), rotary positions, the core, and the output projection. The core runs over the context
// ranks in training (context_attention.h) and over a key-value cache in decoding. A sliding window
// (MegaScale, arXiv 2402.15627, section 3.1; Mistral 7B, arXiv 2310.06825) is the attribute `window` of
// the core: kernels and FLOP counts leave out older keys.
#include "megascale/config/derived.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::kNoTensor;
using graph::TensorId;

AttentionShape GptBuilder::attention_shape(std::int64_t layer, const std::string& name) const {
  return {.heads = config_.num_attention_heads / tensor_,
          .groups = config_.num_query_groups / tensor_,
          .head_dim = config_.head_dim,
          .value_dim = value_head_dim(config_),
          .sequences = shape_.micro_batch_size,
          .length = config_.seq_length,
          .window = window_of_layer(config_, layer),
          .scale = attention_scale(config_),
          .soft_cap = config_.attn_logit_softcapping,
          .flash = flash_,
          .dropout = is_training() ? draws(config_.attention_dropout, name + ".attention.core")
                                   : graph::Attributes()};
}

GptBuilder::RowLinear GptBuilder::attention(std::int64_t layer, const std::string& name,
                                            TensorId x) {
  const AttentionShape shape = attention_shape(layer, name);
  return attention_output(name, query_key_value(name, shape, x), shape);
}

GptBuilder::RowLinear GptBuilder::attention_output(const std::string& name, TensorId qkv,
                                                   const AttentionShape& shape) {
  const TensorId core = shape_.mode == Mode::decode
                            ? cached_attention(name, qkv, shape)
                            : context_attention(builder_, shape, qkv, segments_,
                                                flash_ ? samples_for(shape.dropout) : kNoTensor);
  return attention_projection(name, core, shape);
}

GptBuilder::RowLinear GptBuilder::attention_projection(const std::string& name, TensorId core,
                                                       const AttentionShape& shape) {
  return row_linear(name + ".attention.output", "attention/output", core,
                    config_.num_attention_heads * shape.value_dim, config_.hidden_size,
                    output_stddev());
}

TensorId GptBuilder::query_key_value(const std::string& name, const AttentionShape& shape,
                                     TensorId x) {
  const std::int64_t size = config_.head_dim, queries = config_.num_attention_heads * size,
                     keys = config_.num_query_groups * size;
  TensorId qkv =
      column_linear(name + ".attention.qkv", "attention/qkv", x, config_.hidden_size,
                    {queries, keys, keys}, config_.add_bias_linear || config_.add_qkv_bias);
  const graph::Attributes heads{{attribute::heads, shape.heads},
                                {attribute::groups, shape.groups},
                                {attribute::head_dim, size}};
  if (config_.qk_layernorm) qkv = head_norm(name, qkv, heads);
  if (config_.position_embedding != PositionEmbedding::rope) return qkv;
  return builder_.emit_for(
      graph::rope::output, graph::rope_op(), "attention/rope",
      {{graph::rope::input, qkv},
       {graph::rope::positions,
        shape_.mode == Mode::decode ? graph::kNoTensor : positions_},  // make_rope_tables()
       {graph::rope::table, is_local(shape.window) ? local_rope_table_ : rope_table_}},
      heads);
}

TensorId GptBuilder::head_norm(const std::string& name, TensorId qkv,
                               graph::Attributes attributes) {
  const bool whole = !config_.qk_layernorm_per_head;
  // Every tensor rank has heads of its own. If they share a weight, each rank has a part of its gradient.
  const auto gamma = [&](const char* part, std::int64_t heads) {
    const std::string full = name + ".attention." + part + ".weight";
    return whole ? sharded(full, {heads * config_.head_dim}, {kind_of_norm_weights(), 0}, 0)
                 : norm_weight(full, config_.head_dim);
  };
  const TensorId query_gamma = gamma("query_norm", config_.num_attention_heads),
                 key_gamma = gamma("key_norm", config_.num_query_groups);
  if (whole) attributes.set(attribute::whole, std::int64_t{1});
  set_norm_attributes(attributes);
  const TensorId squares = whole ? squares_of_all_ranks(qkv, attributes) : kNoTensor;
  return builder_.emit_for(graph::head_norm::output, graph::head_norm_op(), "attention/head_norm",
                           {{graph::head_norm::input, qkv},
                            {graph::head_norm::query_gamma, query_gamma},
                            {graph::head_norm::key_gamma, key_gamma},
                            {graph::head_norm::squares, squares}},
                           std::move(attributes));
}

TensorId GptBuilder::squares_of_all_ranks(TensorId qkv, graph::Attributes& attributes) {
  if (tensor_ == 1) return kNoTensor;
  attributes.set(attribute::axes, std::int64_t{graph::AxisSet{graph::Axis::tensor}.bits()});
  attributes.set(attribute::ranks, tensor_);
  const TensorId own = builder_.emit_for(
      graph::head_norm_squares::squares, graph::head_norm_squares_op(),
      "attention/head_norm/squares", {{graph::head_norm_squares::input, qkv}}, attributes);
  return builder_.gather_numbers("attention/head_norm/squares/all_gather", own,
                                 {graph::Axis::tensor});
}

TensorId GptBuilder::attention_cache(const std::string& name) {
  return builder_.external(
      name + ".attention.cache",
      {shape_.decode.sequences * config_.max_position_embeddings, cached_channels(config_)},
      config_.dtype, graph::Role::state);
}

TensorId GptBuilder::cached_attention(const std::string& name, TensorId qkv,
                                      const AttentionShape& shape) {
  graph::Attributes attributes{{attribute::heads, shape.heads},
                               {attribute::groups, shape.groups},
                               {attribute::head_dim, shape.head_dim},
                               {attribute::window, shape.window}};
  set_score_attributes(shape, attributes);
  return builder_.emit_for(graph::cached_attention::output, graph::cached_attention_op(),
                           "attention/core",
                           {{graph::cached_attention::qkv, qkv},
                            {graph::cached_attention::cache, attention_cache(name)},
                            {graph::cached_attention::counts, counts_}},
                           std::move(attributes));
}

}  // namespace megascale::model
