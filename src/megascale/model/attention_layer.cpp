// The attention branch of a layer: query, key and value projection, the norm of heads (Qwen3), rotary
// positions, the core, and the output projection. The core runs over the context ranks in training
// (context_attention.h) and over a key-value cache in decoding. A sliding window (MegaScale, arXiv
// 2402.15627, section 3.1; Mistral 7B, arXiv 2310.06825) is the attribute `window` of the core:
// kernels and FLOP counts leave out older keys.
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::Initializer;
using graph::kNoTensor;
using graph::TensorId;

GptBuilder::RowLinear GptBuilder::attention(std::int64_t layer, const std::string& name,
                                            TensorId x) {
  const AttentionShape shape{
      .heads = config_.num_attention_heads / tensor_,
      .groups = config_.num_query_groups / tensor_,
      .head_dim = config_.head_dim,
      .sequences = shape_.micro_batch_size,
      .length = config_.seq_length,
      .window = layer < config_.full_attention_layers ? 0 : config_.sliding_window,
      .flash = flash_,
      .dropout = is_training() ? draws(config_.attention_dropout, name + ".attention.core")
                               : graph::Attributes()};
  const TensorId qkv = query_key_value(name, shape, x);
  const TensorId core = shape_.mode == Mode::decode
                            ? cached_attention(name, qkv, shape)
                            : context_attention(builder_, shape, qkv, segments_,
                                                flash_ ? samples_for(shape.dropout) : kNoTensor);
  return row_linear(name + ".attention.output", "attention/output", core,
                    config_.num_attention_heads * config_.head_dim, config_.hidden_size,
                    output_stddev());
}

TensorId GptBuilder::query_key_value(const std::string& name, const AttentionShape& shape,
                                     TensorId x) {
  const std::int64_t size = config_.head_dim, queries = config_.num_attention_heads * size,
                     keys = config_.num_query_groups * size;
  TensorId qkv = column_linear(name + ".attention.qkv", "attention/qkv", x, {queries, keys, keys},
                               config_.add_bias_linear || config_.add_qkv_bias);
  const graph::Attributes heads{{attribute::heads, shape.heads},
                                {attribute::groups, shape.groups},
                                {attribute::head_dim, size}};
  if (config_.qk_layernorm) {
    graph::Attributes attributes = heads;
    attributes.set(attribute::epsilon, config_.norm_epsilon);
    // Every tensor rank has heads of its own, and so a part of the sums that the gradients are.
    const auto gamma = [&](const char* part) {
      return vector(name + ".attention." + part + ".weight", size, Initializer::Kind::ones);
    };
    const TensorId query_gamma = gamma("query_norm"), key_gamma = gamma("key_norm");
    qkv = builder_.emit_for(graph::head_norm::output, graph::head_norm_op(), "attention/head_norm",
                            {{graph::head_norm::input, qkv},
                             {graph::head_norm::query_gamma, query_gamma},
                             {graph::head_norm::key_gamma, key_gamma}},
                            std::move(attributes));
  }
  if (config_.position_embedding != PositionEmbedding::rope) return qkv;
  return builder_.emit_for(graph::rope::output, graph::rope_op(), "attention/rope",
                           {{graph::rope::input, qkv},
                            {graph::rope::positions, positions_},
                            {graph::rope::table, rope_table_}},
                           heads);
}

TensorId GptBuilder::cached_attention(const std::string& name, TensorId qkv,
                                      const AttentionShape& shape) {
  const std::int64_t columns = 2 * shape.groups * shape.head_dim;
  const TensorId cache =
      builder_.external(name + ".attention.cache",
                        {shape_.decode.sequences * config_.max_position_embeddings, columns},
                        config_.dtype, graph::Role::state);
  return builder_.emit_for(graph::cached_attention::output, graph::cached_attention_op(),
                           "attention/core",
                           {{graph::cached_attention::qkv, qkv},
                            {graph::cached_attention::cache, cache},
                            {graph::cached_attention::counts, counts_}},
                           {{attribute::heads, shape.heads},
                            {attribute::groups, shape.groups},
                            {attribute::head_dim, shape.head_dim},
                            {attribute::window, shape.window}});
}

}  // namespace megascale::model
