// The attention branch of a layer: query, key and value projection, rotary positions, the core, and
// the output projection. The core runs over the context ranks in training (context_attention.h) and
// over a key-value cache in decoding. A sliding window (MegaScale, arXiv 2402.15627, section 3.1) is
// the attribute `window` of the core: kernels and FLOP counts leave out older keys.
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::Axis;
using graph::Initializer;
using graph::kNoTensor;
using graph::TensorId;

GptBuilder::RowLinear GptBuilder::attention(const std::string& name, TensorId x) {
  const std::int64_t heads = config_.num_attention_heads, groups = config_.num_query_groups,
                     size = config_.head_dim;
  const AttentionShape shape{.heads = heads / tensor_,
                             .groups = groups / tensor_,
                             .head_dim = size,
                             .sequences = shape_.micro_batch_size,
                             .length = config_.seq_length,
                             .window = config_.sliding_window,
                             .flash = flash_,
                             .dropout = is_training() ? config_.attention_dropout : 0};
  TensorId qkv =
      column_linear(name + ".attention.qkv", "attention/qkv", x, config_.hidden_size,
                    {heads * size, groups * size, groups * size}, config_.init_method_std);
  if (config_.position_embedding == PositionEmbedding::rope) {
    qkv = builder_.emit_for(graph::rope::output, graph::rope_op(), "attention/rope",
                            {{graph::rope::input, qkv},
                             {graph::rope::positions, positions_},
                             {graph::rope::table, rope_table_}},
                            {{attribute::heads, shape.heads},
                             {attribute::groups, shape.groups},
                             {attribute::head_dim, size}});
  }
  const TensorId core = shape_.mode == Mode::decode
                            ? cached_attention(name, qkv, shape)
                            : context_attention(builder_, shape, qkv, segments_);
  return row_linear(name + ".attention.output", "attention/output", core, heads * size,
                    config_.hidden_size, output_stddev());
}

TensorId GptBuilder::cached_attention(const std::string& name, TensorId qkv,
                                      const AttentionShape& shape) {
  const std::int64_t columns = 2 * shape.groups * shape.head_dim;
  const TensorId cache =
      builder_.external(name + ".attention.cache", {config_.max_position_embeddings, columns},
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
