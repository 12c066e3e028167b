// Translates config.json of GPT-NeoX, the family of Pythia: a parallel block with two norms, rotary
// positions in a part of every head, and biases in all linear layers but the head.

#include <nlohmann/json.hpp>
#include <string>

#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/fields.h"

namespace megascale::checkpoint::huggingface {

ModelConfig parse_gpt_neox(const JsonReader& json, std::vector<std::string>& notes) {
  ModelConfig model{.type = ModelType::gpt_neox};
  apply_model_type_defaults(model);
  model.num_layers = json.integer("num_hidden_layers");
  model.hidden_size = json.integer("hidden_size");
  model.ffn_hidden_size = json.integer("intermediate_size");
  model.num_attention_heads = json.integer("num_attention_heads");
  model.max_position_embeddings = json.integer("max_position_embeddings", 2048);
  model.vocab_size = json.integer("vocab_size");
  model.norm_epsilon = json.number("layer_norm_eps", 1e-5);
  model.init_method_std = json.number("initializer_range", 0.02);
  model.untie_embeddings_and_output_weights = !json.boolean("tie_word_embeddings", false);
  model.parallel_block = json.boolean("use_parallel_residual", true);
  model.rotary_percent = json.number("rotary_pct", 0.25);
  model.rotary_base = json.number("rotary_emb_base", 10000.0);
  read_rope(json, model);
  json.need_one_of("hidden_act", {"gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh"});
  const bool is_exact = !json.has("hidden_act") || json.text("hidden_act") == "gelu";
  model.activation = is_exact ? Activation::gelu_erf : Activation::gelu;
  json.need("attention_bias", true,
            "this program's models have biases in all linear layers or in none");
  pass_over_dropout(json, {"attention_dropout", "hidden_dropout"}, 0, notes);
  return model;
}

void write_gpt_neox(const ModelConfig& model, nlohmann::ordered_json& json) {
  json["num_hidden_layers"] = model.num_layers;
  json["hidden_size"] = model.hidden_size;
  json["intermediate_size"] = model.ffn_hidden_size;
  json["num_attention_heads"] = model.num_attention_heads;
  json["max_position_embeddings"] = model.max_position_embeddings;
  json["layer_norm_eps"] = model.norm_epsilon;
  json["use_parallel_residual"] = model.parallel_block;
  write_rope(model, json);
  // The names of this family.
  json.erase("rope_theta");
  json.erase("partial_rotary_factor");
  json["rotary_pct"] = model.rotary_percent;
  json["rotary_emb_base"] = model.rotary_base;
  json["hidden_act"] = model.activation == Activation::gelu_erf ? "gelu" : "gelu_new";
  json["attention_bias"] = true;
  for (const char* key : {"attention_dropout", "hidden_dropout"}) json[key] = 0.0;
}

}  // namespace megascale::checkpoint::huggingface
