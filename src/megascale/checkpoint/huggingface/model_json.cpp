// Translates config.json of Hugging Face. The settings that change the computation are translated
// or, if our models cannot express them, refused. Only dropout rates are passed over, with a note.
// An export compares the model with the defaults of its family. A key that is added to [model]
// later is therefore refused until it is translated here.
#include "megascale/checkpoint/huggingface/model_json.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

#include "megascale/base/error.h"
#include "megascale/checkpoint/json_text.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/rules.h"

namespace megascale::checkpoint::huggingface {
namespace {

using Json = nlohmann::json;

// config.json with typed access and errors that name the file and the key. A key that is null
// counts as absent, because the library transformers takes its default in both cases.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file)
      : source_{file, ErrorCode::bad_input}, json_(parse_json(text, source_, 16)) {
    if (!json_.is_object())
      throw source_.error(fmt::format("expected an object, found {}", shown(json_)));
  }
  [[nodiscard]] bool has(const char* key) const {
    return json_.contains(key) && !json_[key].is_null();
  }
  [[nodiscard]] std::int64_t integer(const char* key) const {
    return integer_member(json_, key, source_, {}, 1);
  }
  [[nodiscard]] std::int64_t integer(const char* key, std::int64_t otherwise) const {
    return has(key) ? integer(key) : otherwise;
  }
  [[nodiscard]] std::string text(const char* key) const {
    return string_member(json_, key, source_);
  }
  [[nodiscard]] double number(const char* key, double otherwise) const {
    return number_in(json_, key, otherwise);
  }
  [[nodiscard]] bool boolean(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!json_[key].is_boolean()) throw expected(key, "true or false");
    return json_[key].get<bool>();
  }
  // Refuses every value of `key` except `only`, because our models cannot express the others.
  void need(const char* key, const Json& only) const {
    if (has(key) && json_[key] != only) throw unsupported(key, only.dump());
  }
  void need_one_of(const char* key, std::initializer_list<const char*> names) const {
    if (!has(key)) return;
    for (const char* name : names) {
      if (json_[key] == name) return;
    }
    throw unsupported(key, fmt::format("\"{}\"", *names.begin()));
  }
  // rope_theta stands at the top level or, since transformers 5, in rope_parameters. Scaled rotary
  // positions are refused.
  [[nodiscard]] double rotary_base() const {
    double base = number("rope_theta", 10000.0);
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
      if (!has(key)) continue;
      const Json& rope = json_[key];
      if (!rope.is_object()) throw expected(key, "an object");
      for (const char* type : {"rope_type", "type"}) {
        if (rope.contains(type) && rope[type] != "default")
          throw unsupported(key, "rope_type \"default\"");
      }
      base = number_in(rope, "rope_theta", base);
    }
    return base;
  }
  [[nodiscard]] Error unsupported(const char* key, const std::string& wanted) const {
    return Error(
        ErrorCode::unsupported,
        fmt::format("{}: expected {} = {}, found {}: this program's models cannot express it",
                    source_.file, key, wanted, shown(json_.at(key))));
  }
  [[nodiscard]] Error expected(const char* key, std::string_view type) const {
    return source_.error(
        fmt::format("expected \"{}\" to be {}, found {}", key, type, shown(json_.at(key))));
  }

 private:
  [[nodiscard]] double number_in(const Json& object, const char* key, double otherwise) const {
    if (!object.contains(key) || object[key].is_null()) return otherwise;
    if (!object[key].is_number())
      throw source_.error(
          fmt::format("expected \"{}\" to be a number, found {}", key, shown(object[key])));
    return object[key].get<double>();
  }

  JsonSource source_;
  Json json_;
};

ModelConfig parse_gpt2(const Reader& json, std::vector<std::string>& notes) {
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
  for (const char* key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"}) {
    if (const double rate = json.number(key, 0.1); rate != 0) {
      notes.push_back(fmt::format("{} = {}: this program trains without dropout", key, rate));
    }
  }
  return model;
}

ModelConfig parse_llama(const Reader& json, std::vector<std::string>& notes) {
  ModelConfig model{.type = ModelType::llama};
  apply_model_type_defaults(model);
  model.num_layers = json.integer("num_hidden_layers");
  model.hidden_size = json.integer("hidden_size");
  model.ffn_hidden_size = json.integer("intermediate_size");
  model.num_attention_heads = json.integer("num_attention_heads");
  model.num_query_groups = json.integer("num_key_value_heads", 0);
  model.head_dim = json.integer("head_dim", 0);
  model.max_position_embeddings = json.integer("max_position_embeddings");
  model.vocab_size = json.integer("vocab_size");
  model.norm_epsilon = json.number("rms_norm_eps", 1e-6);
  model.rotary_base = json.rotary_base();
  model.init_method_std = json.number("initializer_range", 0.02);
  model.untie_embeddings_and_output_weights = !json.boolean("tie_word_embeddings", false);
  model.add_bias_linear = json.boolean("attention_bias", false);
  json.need("mlp_bias", model.add_bias_linear);
  if (model.add_bias_linear && !json.has("mlp_bias"))
    throw json.unsupported("attention_bias", "mlp_bias");
  json.need_one_of("hidden_act", {"silu"});
  json.need("partial_rotary_factor", 1.0);
  json.need("sliding_window", 0);
  if (const double rate = json.number("attention_dropout", 0); rate != 0) {
    notes.push_back(
        fmt::format("attention_dropout = {}: this program trains without dropout", rate));
  }
  return model;
}

// Applies the ranges and rules of [model] to an imported model as well.
void check_ranges(const ModelConfig& model, const std::string& file) {
  Config config{.model = model};
  config.data.tokenizer = "tokenizer.json";  // any value that satisfies the rules of [data]
  for (const Violation& violation : find_violations(config)) {
    if (!violation.keys.front().starts_with("model.")) continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: as {}: {}", file, violation.keys.front(), violation.message));
  }
}

}  // namespace

void check_exportable(const ModelConfig& model) {
  const bool gpt2 = model.type == ModelType::gpt2;
  ModelConfig wanted = model;
  const bool untied = model.untie_embeddings_and_output_weights, bias = model.add_bias_linear;
  apply_model_type_defaults(wanted);
  wanted.untie_embeddings_and_output_weights = untied;  // both families have tie_word_embeddings
  wanted.add_bias_linear = gpt2 || bias;                // Llama has attention_bias and mlp_bias
  wanted.parallel_block = false;
  wanted.sliding_window = 0;
  if (gpt2) {
    wanted.num_query_groups = model.num_attention_heads;
    wanted.head_dim =
        model.num_attention_heads == 0 ? 0 : model.hidden_size / model.num_attention_heads;
  }
  std::vector<Error> errors;
  const Config wanted_config{.model = wanted}, config{.model = model};
  for (const Field& field : config_fields()) {
    if (field.section != "model") continue;
    const std::string expected = toml_value(field, wanted_config),
                      found = toml_value(field, config);
    if (expected == found) continue;
    errors.emplace_back(
        ErrorCode::unsupported,
        fmt::format("cannot export to Hugging Face's {}: expected model.{} = {}, found {}",
                    gpt2 ? "GPT-2" : "Llama", field.key, expected, found));
  }
  if (!errors.empty()) throw join_errors(errors);
}

std::string to_model_json(const ModelConfig& model, const ModelJsonOptions& options) {
  nlohmann::ordered_json json;
  const bool gpt2 = model.type == ModelType::gpt2;
  json["architectures"] = {gpt2 ? "GPT2LMHeadModel" : "LlamaForCausalLM"};
  json["model_type"] = gpt2 ? "gpt2" : "llama";
  json["vocab_size"] = model.vocab_size;
  if (gpt2) {
    json["n_layer"] = model.num_layers;
    json["n_embd"] = model.hidden_size;
    json["n_head"] = model.num_attention_heads;
    json["n_positions"] = model.max_position_embeddings;
    json["n_ctx"] = model.max_position_embeddings;
    json["n_inner"] = model.ffn_hidden_size;
    json["layer_norm_epsilon"] = model.norm_epsilon;
    json["activation_function"] = "gelu_new";
    json["resid_pdrop"] = json["embd_pdrop"] = json["attn_pdrop"] = 0.0;
  } else {
    json["num_hidden_layers"] = model.num_layers;
    json["hidden_size"] = model.hidden_size;
    json["intermediate_size"] = model.ffn_hidden_size;
    json["num_attention_heads"] = model.num_attention_heads;
    json["num_key_value_heads"] = model.num_query_groups;
    json["head_dim"] = model.head_dim;
    json["max_position_embeddings"] = model.max_position_embeddings;
    json["rms_norm_eps"] = model.norm_epsilon;
    json["rope_theta"] = model.rotary_base;
    json["rope_scaling"] = nullptr;
    json["hidden_act"] = "silu";
    json["attention_bias"] = json["mlp_bias"] = model.add_bias_linear;
    json["attention_dropout"] = 0.0;
  }
  json["initializer_range"] = model.init_method_std;
  json["tie_word_embeddings"] = !model.untie_embeddings_and_output_weights;
  json["bos_token_id"] = nullptr;
  json["eos_token_id"] = nullptr;
  if (options.eos_token_id) json["bos_token_id"] = json["eos_token_id"] = *options.eos_token_id;
  json["torch_dtype"] = options.dtype == StoredType::bfloat16 ? "bfloat16" : "float32";
  json["use_cache"] = true;
  return json.dump(2) + "\n";
}

ParsedModelJson parse_model_json(std::string_view text, const std::string& file) {
  const Reader json(text, file);
  ParsedModelJson parsed;
  const std::string type = json.text("model_type");
  if (type == "gpt2") {
    parsed.model = parse_gpt2(json, parsed.notes);
  } else if (type == "llama") {
    parsed.model = parse_llama(json, parsed.notes);
  } else {
    throw json.unsupported("model_type", "\"gpt2\" or \"llama\"");
  }
  parsed.model.seq_length = parsed.model.max_position_embeddings;
  check_ranges(parsed.model, file);
  parsed.model = resolve(Config{.model = parsed.model}).model;
  return parsed;
}

}  // namespace megascale::checkpoint::huggingface
