// Translates config.json of Gemma 2 and of the text models of Gemma 3. Defaults of absent keys are those of
// transformers' configuration classes.
#include <nlohmann/json.hpp>

#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/fields.h"

namespace megascale::checkpoint::huggingface {
namespace {

// A soft cap is off if the key is null; the default holds only if it is absent.
double read_cap(const JsonReader& json, const char* key, double otherwise) {
  return json.is_null(key) ? 0 : json.number(key, otherwise);
}

}  // namespace

ModelConfig parse_gemma(const JsonReader& json, ModelType type, std::vector<std::string>& notes) {
  ModelConfig model{.type = type};
  apply_model_type_defaults(model);
  const bool gemma2 = type == ModelType::gemma2;
  model.num_layers = json.integer("num_hidden_layers", 26);
  model.hidden_size = json.integer("hidden_size", 2304);
  model.ffn_hidden_size = json.integer("intermediate_size", 9216);
  model.num_attention_heads = json.integer("num_attention_heads", 8);
  model.num_query_groups = json.integer("num_key_value_heads", 4);
  model.head_dim = json.integer("head_dim", 256);
  model.max_position_embeddings = json.integer("max_position_embeddings", gemma2 ? 8192 : 131072);
  model.vocab_size = json.integer("vocab_size", gemma2 ? 256000 : 262208);
  model.norm_epsilon = json.number("rms_norm_eps", 1e-6);
  model.init_method_std = json.number("initializer_range", 0.02);
  model.untie_embeddings_and_output_weights = !json.boolean("tie_word_embeddings", true);
  model.query_pre_attn_scalar = json.number("query_pre_attn_scalar", 256);
  model.attn_logit_softcapping = read_cap(json, "attn_logit_softcapping", gemma2 ? 50 : 0);
  model.final_logit_softcapping = read_cap(json, "final_logit_softcapping", gemma2 ? 30 : 0);
  model.rotary_base = gemma2 ? 1e4 : 1e6;
  if (!gemma2) {
    model.rope_local_base_freq = json.number("rope_local_base_freq", 10000.0);
    model.window_attn_skip_freq = json.integer("sliding_window_pattern", 6);
  }
  read_rope_of_kinds(json, model);
  read_window_pattern(json, model);
  for (const char* key : {"hidden_activation", "hidden_act"})
    json.need_one_of(key, {"gelu_pytorch_tanh"});
  json.need("attention_bias", false);
  pass_over_dropout(json, {"attention_dropout"}, 0, notes);
  json.need("use_bidirectional_attention", false);
  return model;
}

void write_gemma(const ModelConfig& model, nlohmann::ordered_json& json) {
  write_rms_norm_decoder(model, json);
  if (model.type == ModelType::gemma3) {
    json["rope_local_base_freq"] = model.rope_local_base_freq;
    json["sliding_window_pattern"] = model.window_attn_skip_freq;
  }
  write_window_pattern(model, json);
  json["query_pre_attn_scalar"] = model.query_pre_attn_scalar > 0
                                      ? model.query_pre_attn_scalar
                                      : static_cast<double>(model.head_dim);
  for (const auto& [key, cap] :
       {std::pair("attn_logit_softcapping", model.attn_logit_softcapping),
        std::pair("final_logit_softcapping", model.final_logit_softcapping)}) {
    json[key] = nullptr;
    if (cap > 0) json[key] = cap;
  }
  json["hidden_activation"] = "gelu_pytorch_tanh";
  json["attention_bias"] = false;
  json["attention_dropout"] = 0.0;
}

}  // namespace megascale::checkpoint::huggingface
