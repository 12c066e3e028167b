// Translates config.json of Gemma 2 and of the text models of Gemma 3. Layers with a sliding window and
// layers without one follow one another in a pattern. Defaults of absent keys are those of transformers'
// configuration classes.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"

namespace megascale::checkpoint::huggingface {
namespace {

// A soft cap is off if the key is null; the default holds only if it is absent.
double read_cap(const JsonReader& json, const char* key, double otherwise) {
  return json.is_null(key) ? 0 : json.number(key, otherwise);
}

const char* type_of_layer(const ModelConfig& model, std::int64_t layer) {
  return window_of_layer(model, layer) == 0 ? "full_attention" : "sliding_attention";
}

// The last layer of every so many has full attention, all others have the window.
void read_pattern(const JsonReader& json, ModelConfig& model) {
  model.sliding_window = json.integer("sliding_window", 4096);
  if (model.type == ModelType::gemma3)
    model.window_attn_skip_freq = json.integer("sliding_window_pattern", 6);
  if (!json.has("layer_types")) return;
  const std::vector<std::string> types = json.texts("layer_types");
  const auto full = std::find(types.begin(), types.end(), "full_attention");
  if (full != types.end()) {
    model.window_attn_skip_freq = full - types.begin() + 1;
  } else if (model.window_attn_skip_freq <= model.num_layers) {
    model.window_attn_skip_freq = 0;
  }
  bool good = static_cast<std::int64_t>(types.size()) == model.num_layers;
  for (std::int64_t i = 0; good && i < model.num_layers; ++i)
    good = types[static_cast<std::size_t>(i)] == type_of_layer(model, i);
  if (!good) {
    throw json.unsupported(
        "layer_types",
        "a kind for each layer: \"full_attention\" at equal distances, the first "
        "time in the last layer of such a distance, and \"sliding_attention\"");
  }
}

// Since transformers 5, Gemma 3 may have an object of rotary keys for each kind of layer.
void read_rope_of_kinds(const JsonReader& json, ModelConfig& model) {
  model.rotary_base = model.type == ModelType::gemma3 ? 1e6 : 1e4;
  if (model.type == ModelType::gemma3)
    model.rope_local_base_freq = json.number("rope_local_base_freq", 10000.0);
  if (!json.has("rope_parameters")) return read_rope(json, model);
  const JsonReader kinds = json.object("rope_parameters");
  if (!kinds.has("full_attention")) return read_rope(json, model);
  ModelConfig local = model;
  read_rope_object(kinds.object("full_attention"), model);
  if (!kinds.has("sliding_attention")) return;
  const JsonReader sliding = kinds.object("sliding_attention");
  sliding.need_one_of("rope_type", {"default"});
  read_rope_object(sliding, local);
  model.rope_local_base_freq = local.rotary_base;
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
  read_rope_of_kinds(json, model);
  read_pattern(json, model);
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
  json["sliding_window"] = model.sliding_window;
  json["layer_types"] = nlohmann::json::array();
  for (std::int64_t i = 0; i < model.num_layers; ++i)
    json["layer_types"].push_back(type_of_layer(model, i));
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
