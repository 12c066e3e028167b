// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): keys and values of all heads are
// products of one latent vector of the token, and queries may be products of another one. Both vectors are
// normalised. Positions are in channels of their own, which for keys are one product for all heads.
//
// Each tensor rank computes the latent vectors of its own share of the tokens, with whole weights. The
// gathers before the products that are divided by heads then move latent vectors, which are narrower than
// the rows of the residual stream. Only queries without a latent vector gather those rows.
//
// Decoding keeps latent vectors. It computes no keys and values: the op takes the weight of their product.
#include "megascale/config/derived.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::TensorId;

namespace {

// Returns the channels of a token's keys without positions and of its values, of all heads.
std::int64_t key_value_channels(const ModelConfig& model) {
  return model.num_attention_heads * (model.qk_head_dim + model.v_head_dim);
}

}  // namespace

GptBuilder::RowLinear GptBuilder::latent_attention(std::int64_t layer, const std::string& name,
                                                   TensorId x) {
  const AttentionShape shape = attention_shape(layer, name);
  const TensorId latent =
      latent_vector(name + ".attention.latent", "attention/latent", x, config_.kv_lora_rank);
  if (shape_.mode == Mode::decode)
    return attention_projection(name, cached_latent_attention(name, x, latent, shape), shape);
  const TensorId key_value = column_linear(name + ".attention.key_value", "attention/key_value",
                                           gather("attention/latent", latent), config_.kv_lora_rank,
                                           {key_value_channels(config_)}, /*has_bias=*/false);
  const TensorId key_rope = gather("attention/key_rope", latent_key_rope(name, x));
  // The product of queries, the largest one, comes last: it is the one that pieces of a context exchange
  // run beside, forward and backward (plan/passes/split_context.h).
  const TensorId query = latent_query(name, x);
  const TensorId qkv =
      builder_.emit_for(graph::latent_heads::qkv, graph::latent_heads_op(), "attention/heads",
                        {{graph::latent_heads::query, query},
                         {graph::latent_heads::key_value, key_value},
                         {graph::latent_heads::key_rope, key_rope},
                         {graph::latent_heads::positions, positions_},
                         {graph::latent_heads::table, angles_of(shape)}},
                        {{attribute::heads, shape.heads},
                         {attribute::head_dim, shape.head_dim},
                         {attribute::value_dim, shape.value_dim}});
  return attention_output(name, qkv, shape);
}

TensorId GptBuilder::cached_latent_attention(const std::string& name, TensorId x, TensorId latent,
                                             const AttentionShape& shape) {
  const TensorId weight = sharded(name + ".attention.key_value.weight",
                                  {key_value_channels(config_), config_.kv_lora_rank},
                                  normal(config_.init_method_std), 0);
  const TensorId key_rope = latent_key_rope(name, x);
  graph::Attributes attributes{{attribute::heads, shape.heads},
                               {attribute::head_dim, shape.head_dim},
                               {attribute::value_dim, shape.value_dim},
                               {attribute::window, shape.window}};
  set_score_attributes(shape, attributes);
  return builder_.emit_for(graph::cached_latent_attention::output,
                           graph::cached_latent_attention_op(), "attention/core",
                           {{graph::cached_latent_attention::query, latent_query(name, x)},
                            {graph::cached_latent_attention::latent, latent},
                            {graph::cached_latent_attention::key_rope, key_rope},
                            {graph::cached_latent_attention::table, angles_of(shape)},
                            {graph::cached_latent_attention::weight, weight},
                            {graph::cached_latent_attention::cache, attention_cache(name)},
                            {graph::cached_latent_attention::counts, counts_}},
                           std::move(attributes));
}

TensorId GptBuilder::latent_key_rope(const std::string& name, TensorId x) {
  return whole_linear(name + ".attention.key_rope", "attention/key_rope", x,
                      config_.qk_pos_emb_head_dim, config_.hidden_size, config_.init_method_std);
}

TensorId GptBuilder::latent_query(const std::string& name, TensorId x) {
  const std::int64_t outputs = config_.num_attention_heads * config_.head_dim,
                     rank = config_.q_lora_rank;
  const bool is_latent = rank > 0;
  const TensorId rows = gather(
      is_latent ? "attention/query_latent" : "attention/norm",
      is_latent ? latent_vector(name + ".attention.query_latent", "attention/query_latent", x, rank)
                : x);
  return column_linear(name + ".attention.query", "attention/query", rows,
                       is_latent ? rank : config_.hidden_size, {outputs}, /*has_bias=*/false);
}

TensorId GptBuilder::latent_vector(const std::string& name, const std::string& path, TensorId x,
                                   std::int64_t width) {
  const TensorId latent =
      whole_linear(name, path, x, width, config_.hidden_size, config_.init_method_std);
  return norm(name + "_norm", path + "_norm", latent, width);
}

}  // namespace megascale::model
