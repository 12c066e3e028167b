// Translates config.json of Llama and of the families that derive from it: Mistral and Phi-3 (a sliding
// window), Qwen2 (biases of query, key and value), Qwen3 (norms of heads), OLMo 2 (norms behind
// attention and the MLP), OLMo 3 (the same, and a window in most layers), all those with experts
// (expert_json.cpp), and those with latent attention (latent_json.cpp). They share most keys.
// Defaults of absent keys are those of transformers' configuration classes.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/fields.h"

namespace megascale::checkpoint::huggingface {
namespace {

// layer_types names the kind of attention of every layer. Full attention must come first.
void read_layer_types(const JsonReader& json, ModelConfig& model) {
  if (!json.has("layer_types")) return;
  const std::vector<std::string> types = json.texts("layer_types");
  const auto sliding = std::find(types.begin(), types.end(), "sliding_attention");
  const bool good =
      std::count(types.begin(), sliding, "full_attention") == sliding - types.begin() &&
      std::count(sliding, types.end(), "sliding_attention") == types.end() - sliding &&
      static_cast<std::int64_t>(types.size()) == model.num_layers &&
      (sliding == types.end() || model.sliding_window > 0);
  if (!good) {
    throw json.unsupported("layer_types",
                           "a kind for each layer: \"full_attention\" in the first ones, and, if "
                           "there is a sliding window, \"sliding_attention\" in all others");
  }
  model.full_attention_layers = sliding - types.begin();
}

// Mistral and Phi-3 have a window in all layers, unless it is null. Qwen2, Qwen3 and dots.llm1 have one
// in all but the first max_window_layers layers; those of Qwen only if use_sliding_window is true.
void read_window(const JsonReader& json, ModelConfig& model) {
  using enum ModelType;
  if (is_one_of(model.type, {llama, olmo2, olmoe, deepseek, glm4_moe, deepseek_v2, deepseek_v3}))
    return json.need("sliding_window", 0);
  if (model.type == olmo3) return read_window_pattern(json, model);
  if (model.type == ModelType::phi3) {
    if (json.has("sliding_window")) model.sliding_window = json.integer("sliding_window");
    return read_layer_types(json, model);
  }
  const bool in_all = is_one_of(model.type, {mistral, mixtral}), dots = model.type == dots1;
  if (!json.is_null("sliding_window") &&
      (in_all || dots || json.boolean("use_sliding_window", false)))
    model.sliding_window = json.integer("sliding_window", 4096);
  if (model.sliding_window > 0 && !in_all)
    model.full_attention_layers = json.count("max_window_layers", dots ? 62 : 28);
  read_layer_types(json, model);
  if (model.full_attention_layers < model.num_layers) return;
  model.sliding_window = model.full_attention_layers = 0;
}

// In OLMo 3 the frequencies of layers with a window are not scaled (arXiv 2512.13961).
void read_rope_of_layers(const JsonReader& json, ModelConfig& model) {
  if (model.type != ModelType::olmo3) return read_rope(json, model);
  read_rope_of_kinds(json, model);
  if (model.rope_local_base_freq != 0 && model.rope_local_base_freq != model.rotary_base)
    throw json.unsupported("rope_parameters", "the same rope_theta for both kinds of layers");
  model.rope_local_base_freq = model.use_rope_scaling ? model.rotary_base : 0;
}

// The biases that our models have: all linear layers, or query, key and value.
void read_biases(const JsonReader& json, ModelConfig& model) {
  if (model.type == ModelType::llama) {
    model.add_bias_linear = json.boolean("attention_bias", false);
    json.need("mlp_bias", model.add_bias_linear);
    if (model.add_bias_linear && !json.has("mlp_bias"))
      throw json.unsupported("attention_bias", "mlp_bias");
    return;
  }
  json.need("mlp_bias", false);
  // Qwen2 always has biases of query, key and value, and reads no such key.
  if (model.type == ModelType::qwen2) return;
  if (model.type == ModelType::qwen2_moe) return json.need("qkv_bias", true);
  if (model.type == ModelType::glm4_moe) {
    model.add_qkv_bias = json.boolean("attention_bias", false);
    return;
  }
  json.need("attention_bias", false,
            "this program's models have no bias of the output projection alone");
}

}  // namespace

ModelConfig parse_llama(const JsonReader& json, ModelType type, std::vector<std::string>& notes) {
  ModelConfig model{.type = type};
  using enum ModelType;
  apply_model_type_defaults(model);
  model.num_layers = json.integer("num_hidden_layers");
  model.hidden_size = json.integer("hidden_size");
  model.ffn_hidden_size = json.integer("intermediate_size");
  model.num_attention_heads = json.integer("num_attention_heads");
  // The default is num_attention_heads, but where the key is absent the families differ.
  const bool may_be_absent =
      is_one_of(type, {llama, phi3, olmo2, olmo3, olmoe, deepseek, dots1, deepseek_v2}) ||
      json.is_null("num_key_value_heads");
  model.num_query_groups =
      may_be_absent ? json.integer("num_key_value_heads", 0) : json.integer("num_key_value_heads");
  if (model.multi_latent_attention) {
    read_latent_attention(json, model);
  } else {
    model.head_dim = json.integer("head_dim", is_one_of(type, {qwen3, qwen3_moe}) ? 128 : 0);
  }
  if (is_one_of(type, {olmoe, deepseek}))
    json.need("head_dim", model.hidden_size / model.num_attention_heads,
              "heads of this family have hidden_size / num_attention_heads channels");
  model.max_position_embeddings = json.integer("max_position_embeddings");
  model.vocab_size = json.integer("vocab_size");
  const bool large_epsilon = is_one_of(type, {phi3, olmo2, olmo3, olmoe, glm4_moe});
  model.norm_epsilon = json.number("rms_norm_eps", large_epsilon ? 1e-5 : 1e-6);
  model.init_method_std = json.number("initializer_range", 0.02);
  model.untie_embeddings_and_output_weights = !json.boolean("tie_word_embeddings", false);
  read_rope_of_layers(json, model);
  pass_over_dropout(json, {"resid_pdrop", "embd_pdrop", "attention_dropout"}, 0, notes);
  read_window(json, model);
  read_biases(json, model);
  json.need_one_of("hidden_act", {"silu"});
  if (type == olmoe) json.need("clip_qkv", nullptr);
  if (type == glm4_moe) model.qk_layernorm = json.boolean("use_qk_norm", false);
  return model;
}

void write_llama(const ModelConfig& model, nlohmann::ordered_json& json) {
  write_rms_norm_decoder(model, json);
  json["hidden_act"] = "silu";
  json["attention_dropout"] = 0.0;
  const bool has_window = model.sliding_window > 0;
  switch (model.type) {
    case ModelType::llama:
      json["attention_bias"] = model.add_bias_linear;
      json["mlp_bias"] = model.add_bias_linear;
      return;
    case ModelType::olmo3:
      write_window_pattern(model, json);
      [[fallthrough]];
    case ModelType::olmo2:
    case ModelType::olmoe:
    case ModelType::deepseek:
      json["attention_bias"] = false;
      return;
    case ModelType::deepseek_v2:
    case ModelType::deepseek_v3:
      return write_latent_attention(model, json);
    case ModelType::glm4_moe:
      json["attention_bias"] = model.add_qkv_bias;
      json["use_qk_norm"] = model.qk_layernorm;
      return;
    case ModelType::qwen3:
    case ModelType::qwen3_moe:
      json["attention_bias"] = false;
      [[fallthrough]];
    case ModelType::qwen2:
    case ModelType::qwen2_moe:
      json["use_sliding_window"] = has_window;
      [[fallthrough]];
    case ModelType::dots1:
      json["max_window_layers"] = has_window ? model.full_attention_layers : model.num_layers;
      [[fallthrough]];
    case ModelType::mistral:
    case ModelType::mixtral:
    case ModelType::phi3:
      json["sliding_window"] = nullptr;
      if (has_window) json["sliding_window"] = model.sliding_window;
      return;
    case ModelType::gpt2:
    case ModelType::gpt_neox:
    case ModelType::gemma2:
    case ModelType::gemma3:
      MEGASCALE_CHECK(false, "a family with keys of its own");
  }
}

}  // namespace megascale::checkpoint::huggingface
