// The table of families, and the translation of GPT-2's config.json.
#include "megascale/checkpoint/huggingface/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "megascale/config/fields.h"

namespace megascale::checkpoint::huggingface {
namespace {

constexpr std::array kFamilies{
    Family{ModelType::gpt2, "gpt2", "GPT2LMHeadModel", "GPT-2"},
    Family{ModelType::llama, "llama", "LlamaForCausalLM", "Llama"},
    Family{ModelType::mistral, "mistral", "MistralForCausalLM", "Mistral"},
    Family{ModelType::qwen2, "qwen2", "Qwen2ForCausalLM", "Qwen2"},
    Family{ModelType::qwen3, "qwen3", "Qwen3ForCausalLM", "Qwen3"},
    Family{ModelType::mixtral, "mixtral", "MixtralForCausalLM", "Mixtral", ExpertKeys::mixtral},
    Family{ModelType::qwen3_moe, "qwen3_moe", "Qwen3MoeForCausalLM", "Qwen3-MoE", ExpertKeys::qwen},
    Family{ModelType::qwen2_moe, "qwen2_moe", "Qwen2MoeForCausalLM", "Qwen2-MoE", ExpertKeys::qwen},
    Family{ModelType::phi3, "phi3", "Phi3ForCausalLM", "Phi-3"},
    Family{ModelType::olmo2, "olmo2", "Olmo2ForCausalLM", "OLMo 2"},
    Family{ModelType::olmo3, "olmo3", "Olmo3ForCausalLM", "OLMo 3"},
    Family{ModelType::gpt_neox, "gpt_neox", "GPTNeoXForCausalLM", "GPT-NeoX"},
    Family{ModelType::gemma2, "gemma2", "Gemma2ForCausalLM", "Gemma 2"},
    // "gemma3" without "_text" is the model of texts and images.
    Family{ModelType::gemma3, "gemma3_text", "Gemma3ForCausalLM", "Gemma 3"},
    Family{ModelType::olmoe, "olmoe", "OlmoeForCausalLM", "OLMoE", ExpertKeys::olmoe},
    Family{ModelType::deepseek, "deepseek", "DeepseekForCausalLM", "DeepSeekMoE",
           ExpertKeys::deepseek},
    Family{ModelType::dots1, "dots1", "Dots1ForCausalLM", "dots.llm1", ExpertKeys::deepseek},
    Family{ModelType::glm4_moe, "glm4_moe", "Glm4MoeForCausalLM", "GLM-4.5", ExpertKeys::deepseek},
    Family{ModelType::deepseek_v2, "deepseek_v2", "DeepseekV2ForCausalLM", "DeepSeek-V2",
           ExpertKeys::deepseek},
    Family{ModelType::deepseek_v3, "deepseek_v3", "DeepseekV3ForCausalLM", "DeepSeek-V3",
           ExpertKeys::deepseek}};

}  // namespace

const Family& family_of(ModelType type) noexcept {
  const auto* const found = std::find_if(kFamilies.begin(), kFamilies.end(),
                                         [&](const Family& f) { return f.type == type; });
  MEGASCALE_CHECK(found != kFamilies.end(), "a model type without a family");
  return *found;
}

bool is_one_of(ModelType type, std::initializer_list<ModelType> types) noexcept {
  return std::find(types.begin(), types.end(), type) != types.end();
}

const Family* find_family(std::string_view name) noexcept {
  const auto* const found = std::find_if(kFamilies.begin(), kFamilies.end(),
                                         [&](const Family& f) { return f.name == name; });
  return found == kFamilies.end() ? nullptr : found;
}

std::string family_names() {
  std::string names;
  for (const Family& family : kFamilies) {
    const bool is_last = &family == &kFamilies.back();
    names += fmt::format("{}\"{}\"", names.empty() ? "" : (is_last ? " or " : ", "), family.name);
  }
  return names;
}

void pass_over_dropout(const JsonReader& json, std::initializer_list<const char*> keys,
                       double absent, std::vector<std::string>& notes) {
  for (const char* key : keys) {
    if (const double rate = json.number(key, absent); rate != 0) {
      notes.push_back(
          fmt::format("{} = {} is not taken over: a training sets model.hidden_dropout and "
                      "model.attention_dropout",
                      key, rate));
    }
  }
}

ModelConfig parse_gpt2(const JsonReader& json, std::vector<std::string>& notes) {
  ModelConfig model{.type = ModelType::gpt2};
  apply_model_type_defaults(model);
  model.num_layers = json.integer("n_layer");
  model.hidden_size = json.integer("n_embd");
  model.num_attention_heads = json.integer("n_head");
  model.max_position_embeddings = json.integer("n_positions");
  model.vocab_size = json.integer("vocab_size");
  model.ffn_hidden_size = json.integer("n_inner", 0);
  model.norm_epsilon = json.number("layer_norm_epsilon", 1e-5);
  model.init_method_std = json.number("initializer_range", 0.02);
  model.untie_embeddings_and_output_weights = !json.boolean("tie_word_embeddings", true);
  json.need_one_of("activation_function", {"gelu_new", "gelu_pytorch_tanh"});
  json.need("scale_attn_weights", true);
  json.need("scale_attn_by_inverse_layer_idx", false);
  json.need("add_cross_attention", false);
  pass_over_dropout(json, {"resid_pdrop", "embd_pdrop", "attn_pdrop"}, 0.1, notes);
  return model;
}

void write_rms_norm_decoder(const ModelConfig& model, nlohmann::ordered_json& json) {
  json["num_hidden_layers"] = model.num_layers;
  json["hidden_size"] = model.hidden_size;
  json["intermediate_size"] = model.ffn_hidden_size;
  json["num_attention_heads"] = model.num_attention_heads;
  json["num_key_value_heads"] = model.num_query_groups;
  if (!model.multi_latent_attention) json["head_dim"] = model.head_dim;
  json["max_position_embeddings"] = model.max_position_embeddings;
  json["rms_norm_eps"] = model.norm_epsilon;
  write_rope(model, json);
}

void write_gpt2(const ModelConfig& model, nlohmann::ordered_json& json) {
  json["n_layer"] = model.num_layers;
  json["n_embd"] = model.hidden_size;
  json["n_head"] = model.num_attention_heads;
  json["n_positions"] = model.max_position_embeddings;
  json["n_ctx"] = model.max_position_embeddings;
  json["n_inner"] = model.ffn_hidden_size;
  json["layer_norm_epsilon"] = model.norm_epsilon;
  json["activation_function"] = "gelu_new";
  for (const char* key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"}) json[key] = 0.0;
}

}  // namespace megascale::checkpoint::huggingface
