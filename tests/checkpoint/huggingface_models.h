#ifndef MEGASCALE_TESTS_CHECKPOINT_HUGGINGFACE_MODELS_H_
#define MEGASCALE_TESTS_CHECKPOINT_HUGGINGFACE_MODELS_H_

#include <map>

#include "checkpoint/support.h"
#include "megascale/checkpoint/huggingface/export.h"
#include "megascale/checkpoint/huggingface/import.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/load.h"
#include "megascale/model/gpt.h"
#include "support/close.h"

// Small models of each family, with random weights, for tests of imports and exports.
namespace megascale::checkpoint::huggingface::testing {

inline Config small(ModelType type) {
  Config config;
  config.model.type = type;
  apply_model_type_defaults(config.model);
  config.model.num_layers = 2;
  config.model.hidden_size = 24;
  config.model.num_attention_heads = 4;
  config.model.seq_length = 16;
  config.model.vocab_size = 300;  // no multiple of 128: checkpoints hold no padding rows
  config.data.tokenizer = "byte";
  if (type == ModelType::gpt_neox) config.model.hidden_size = 32;  // an eighth of a head is a pair
  if (type != ModelType::gpt2 && type != ModelType::gpt_neox) {
    config.model.num_query_groups = 2;
    config.model.head_dim = 10;  // not hidden_size / heads
  }
  if (type != ModelType::gpt2) {
    config.model.ffn_hidden_size = 56;
    config.model.rotary_base = 500000.0;
  }
  if (type == ModelType::olmoe || type == ModelType::deepseek) config.model.head_dim = 6;
  if (type == ModelType::glm4_moe) config.model.head_dim = 12;  // half of it is rotated, in pairs
  if (type == ModelType::deepseek_v2 || type == ModelType::deepseek_v3) {
    config.model.num_query_groups = config.model.head_dim = 0;  // follow from the other sizes
    config.model.q_lora_rank = type == ModelType::deepseek_v3 ? 14 : 0;
    config.model.kv_lora_rank = 12;
    config.model.qk_head_dim = 10;
    config.model.qk_pos_emb_head_dim = 6;
    config.model.v_head_dim = 8;
  }
  if (type == ModelType::olmo3) config.model.sliding_window = 5;
  if (type == ModelType::gemma2 || type == ModelType::gemma3) {
    config.model.sliding_window = 5;
    config.model.query_pre_attn_scalar = 12;
  }
  return resolve(config);
}
inline Config serial_neox() {
  Config config = small(ModelType::gpt_neox);
  config.model.parallel_block = false;
  config.model.activation = Activation::gelu;
  config.model.rotary_percent = 0.5;
  return config;
}
inline Config scaled(RopeScalingType type, double attention_factor = 0) {
  Config config = small(ModelType::llama);
  config.model.use_rope_scaling = true;
  config.model.rope_scaling_type = type;
  config.model.rope_scaling_factor = 3;
  if (type != RopeScalingType::linear) config.model.original_max_position_embeddings = 16;
  config.model.rope_attention_factor = attention_factor;
  return config;
}
// Layers with a window have the frequencies of the others, not scaled.
inline Config olmo3_with_yarn() {
  Config config = small(ModelType::olmo3);
  config.model.use_rope_scaling = true;
  config.model.rope_scaling_type = RopeScalingType::yarn;
  config.model.rope_scaling_factor = 3;
  config.model.original_max_position_embeddings = 16;
  config.model.rope_local_base_freq = config.model.rotary_base;
  return config;
}
inline Config with_experts(ModelType type) {
  Config config = small(type);
  config.model.moe.num_experts = 4;
  config.model.moe.router_topk = type == ModelType::mixtral ? 2 : 3;
  config.model.moe.norm_topk_prob = type == ModelType::mixtral;
  if (type != ModelType::mixtral) config.model.moe.ffn_hidden_size = 20;
  return config;
}
inline Config olmoe() {
  Config config = with_experts(ModelType::olmoe);
  config.model.moe.ffn_hidden_size = config.model.ffn_hidden_size;
  return config;
}
// DeepSeekMoE, and the families with its names: shared experts as wide as the others, and a dense layer.
inline Config with_shared_experts(ModelType type, std::int64_t shared = 2) {
  Config config = with_experts(type);
  MoeConfig& moe = config.model.moe;
  moe.shared_expert_intermediate_size = shared * moe.ffn_hidden_size;
  moe.first_dense_layers = 1;
  if (type == ModelType::deepseek) return config;
  moe.router_topk_scaling_factor = 2.5;
  if (type == ModelType::deepseek_v2) return config;
  moe.router_score_function = ScoreFunction::sigmoid;
  moe.router_enable_expert_bias = true;
  moe.norm_topk_prob = true;
  return config;
}
inline Config dots_with_groups() {
  Config config = with_shared_experts(ModelType::dots1);
  config.model.moe.num_experts = 6;
  config.model.moe.router_topk = 4;
  config.model.moe.router_num_groups = 3;
  config.model.moe.router_group_topk = 2;
  return config;
}
// A group is judged by its best expert.
inline Config deepseek_v2_with_groups_and_query_latent() {
  Config config = with_shared_experts(ModelType::deepseek_v2, 1);
  config.model.q_lora_rank = 14;
  config.model.moe.num_experts = 12;
  config.model.moe.router_topk = 4;
  config.model.moe.router_num_groups = 3;
  config.model.moe.router_group_topk = 2;
  config.model.moe.router_group_best = 1;
  return config;
}
// With positions of YaRN, and without a latent vector of queries.
inline Config deepseek_v3_with_yarn(double attention_factor = 0) {
  Config config = dots_with_groups();
  const MoeConfig experts = config.model.moe;
  config.model = small(ModelType::deepseek_v3).model;
  config.model.moe = experts;
  config.model.q_lora_rank = 0;
  config.model.use_rope_scaling = true;
  config.model.rope_scaling_type = RopeScalingType::yarn;
  config.model.rope_scaling_factor = 3;
  config.model.original_max_position_embeddings = 16;
  config.model.rope_attention_factor = attention_factor;
  config.model.rope_mscale = attention_factor > 0 ? 0 : 1;
  config.model.rope_mscale_all_dim = 0.5;
  return config;
}
inline Config deepseek_with_dense_layers_between() {
  Config config = with_shared_experts(ModelType::deepseek, 0);
  config.model.num_layers = 5;
  config.model.moe.first_dense_layers = config.model.moe.layer_freq = 2;
  return config;
}
inline Config glm_with_head_norms() {
  Config config = with_shared_experts(ModelType::glm4_moe, 1);
  config.model.qk_layernorm = true;
  config.model.add_qkv_bias = false;
  config.model.rotary_percent = 1;
  return config;
}
inline Config with_gated_shared_expert() {
  Config config = with_experts(ModelType::qwen2_moe);
  config.model.moe.shared_expert_intermediate_size = 28;
  config.model.moe.shared_expert_gate = true;
  return config;
}
inline Config with_dense_layers(std::int64_t first, std::int64_t every) {
  Config config = with_experts(ModelType::qwen3_moe);
  config.model.num_layers = 5;
  config.model.moe.first_dense_layers = first;
  config.model.moe.layer_freq = every;
  return config;
}
inline Config untied_gpt2() {
  Config config = small(ModelType::gpt2);
  config.model.untie_embeddings_and_output_weights = true;
  config.model.ffn_hidden_size = config.model.moe.ffn_hidden_size = 40;
  return config;
}
inline Config tied_llama_with_biases() {
  Config config = small(ModelType::llama);
  config.model.untie_embeddings_and_output_weights = false;
  config.model.add_bias_linear = true;
  return config;
}

inline Config scaled_llama() {
  Config config = small(ModelType::llama);
  config.model.use_rope_scaling = true;
  config.model.rope_scaling_factor = 32;
  config.model.original_max_position_embeddings = 8;
  return config;
}
// A head has ten channels, so five frequencies.
inline Config phi3_with_longrope(double attention_factor = 0) {
  Config config = small(ModelType::phi3);
  config.model.max_position_embeddings = 64;
  config.model.use_rope_scaling = true;
  config.model.rope_scaling_type = RopeScalingType::longrope;
  config.model.original_max_position_embeddings = 16;
  config.model.rope_scaling_factor = 4;
  config.model.rope_attention_factor = attention_factor;
  config.model.rope_short_factor = {1, 1.01, 1.5, 2, 2.75};
  config.model.rope_long_factor = {1, 1.25, 3.5, 8, 16.125};
  config.model.seq_length = 64;
  return config;
}
inline Config sliding(ModelType type, std::int64_t full_attention_layers) {
  Config config = small(type);
  config.model.sliding_window = 5;
  config.model.full_attention_layers = full_attention_layers;
  return config;
}

// A checkpoint of the parameters that the model code itself names, with moments, in random values.
struct Weights {
  std::map<std::string, std::pair<Extents, std::vector<float>>> tensors;
  explicit Weights(const Config& config) {
    const graph::Program program = model::build_gpt(config, {.mode = model::Mode::evaluate});
    std::uint64_t seed = 1;
    for (const graph::Parameter& parameter : program.parameters) {
      Extents shape;
      for (const graph::Dim& dim : program.tensor(parameter.tensor).shape)
        shape.push_back(dim.size);
      if (parameter.logical_rows != 0) shape[0] = parameter.logical_rows;
      tensors[parameter.name] = {shape,
                                 megascale::testing::normal(*checked_numel(shape), seed++, 0.3)};
    }
  }
  [[nodiscard]] std::vector<Piece> pieces() const {
    std::vector<Piece> result;
    for (const auto& [name, tensor] : tensors) {
      for (const std::string_view suffix :
           {std::string_view(), kFirstMomentSuffix, kSecondMomentSuffix}) {
        result.push_back(whole_piece(name + std::string(suffix), DType::float32, tensor.first,
                                     std::as_bytes(std::span(tensor.second))));
      }
    }
    return result;
  }
};
inline std::filesystem::path save_model(const std::filesystem::path& directory,
                                        const Config& config, const Weights& weights) {
  return save(directory, {.step = 7, .config = to_toml(config)}, weights.pieces(),
              {.shard_nbytes_max = 20000})
      .path;
}
inline std::vector<float> read_floats(const Opened& opened, const std::string& name) {
  std::vector<float> values(*checked_numel(opened.tensor(name).shape));
  opened.read(name, std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace megascale::checkpoint::huggingface::testing

#endif  // MEGASCALE_TESTS_CHECKPOINT_HUGGINGFACE_MODELS_H_
