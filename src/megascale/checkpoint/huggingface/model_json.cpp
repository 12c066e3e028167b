// Translates config.json of Hugging Face. The settings that change the computation are translated
// or, if our models cannot express them, refused. Only the dropout rates of GPT-2 are passed over,
// with a note. An export compares the model with the defaults of its family. A key that is added to
// [model] later is therefore refused until it is translated here.
#include "megascale/checkpoint/huggingface/model_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/rules.h"

namespace megascale::checkpoint::huggingface {
namespace {

// The number of layers behind the last one that predict the tokens after the next.
constexpr const char* kPredictionLayers = "num_nextn_predict_layers";

std::int64_t prediction_layers(const JsonReader& json, ModelType type) {
  return is_one_of(type, {ModelType::glm4_moe, ModelType::deepseek_v3})
             ? json.count(kPredictionLayers, 0)
             : 0;
}

// Applies the ranges and rules of [model] to an imported model as well.
void check_ranges(const ModelConfig& model, const std::string& file) {
  Config config{.model = model};
  config.data.tokenizer = "tokenizer.json";  // any value that satisfies the rules of [data]
  for (const Violation& violation : find_violations(config)) {
    if (!violation.keys.front().starts_with("model.") &&
        !violation.keys.front().starts_with("moe."))
      continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: as {}: {}", file, violation.keys.front(), violation.message));
  }
}

// Keeps the pattern of windows that config.json states. Without a window it says nothing.
void allow_window_pattern(const ModelConfig& model, ModelConfig& wanted) {
  wanted.sliding_window = std::max<std::int64_t>(model.sliding_window, 1);
  wanted.window_attn_skip_freq = model.window_attn_skip_freq;
}

// Keeps the numbers that config.json of Gemma states.
void allow_gemma_numbers(const ModelConfig& model, ModelConfig& wanted) {
  allow_window_pattern(model, wanted);
  wanted.query_pre_attn_scalar = model.query_pre_attn_scalar;
  wanted.attn_logit_softcapping = model.attn_logit_softcapping;
  wanted.final_logit_softcapping = model.final_logit_softcapping;
  if (model.type == ModelType::gemma3) wanted.rope_local_base_freq = model.rope_local_base_freq;
}

// Keeps the numbers that config.json of DeepSeek-V2 and V3 states. Their kind of positions is theirs
// alone, and they have no other.
void allow_latent_attention(const ModelConfig& model, ModelConfig& wanted) {
  if (!wanted.multi_latent_attention) {
    wanted.rope_mscale = wanted.rope_mscale_all_dim = 0;
    return;
  }
  wanted.q_lora_rank = model.q_lora_rank;
  if (wanted.use_rope_scaling) wanted.rope_scaling_type = RopeScalingType::yarn;
}

// Returns the form of `model` that its family can express. It equals `model` if the family can
// express that.
ModelConfig expressible(const ModelConfig& model) {
  ModelConfig wanted = model;
  apply_model_type_defaults(wanted);
  // All families have tie_word_embeddings. Llama has attention_bias and mlp_bias.
  wanted.untie_embeddings_and_output_weights = model.untie_embeddings_and_output_weights;
  using enum ModelType;
  const auto is = [&](std::initializer_list<ModelType> types) {
    return is_one_of(model.type, types);
  };
  if (is({llama})) wanted.add_bias_linear = model.add_bias_linear;
  wanted.moe = expressible_experts(model);
  const ExpertKeys experts = family_of(model.type).experts;
  if (experts == ExpertKeys::mixtral || experts == ExpertKeys::olmoe)
    wanted.ffn_hidden_size = model.moe.ffn_hidden_size;  // there is one width
  if (is({gpt2, llama, olmo2, gpt_neox, olmoe, deepseek, glm4_moe, deepseek_v2, deepseek_v3}))
    wanted.sliding_window = 0;
  if (!family_of(model.type).name.starts_with("qwen") && !is({dots1}))
    wanted.full_attention_layers = 0;
  const bool longrope = model.rope_scaling_type == RopeScalingType::longrope;
  if (is({gpt2}) || (is({phi3}) && !longrope)) wanted.use_rope_scaling = false;
  if (longrope && wanted.use_rope_scaling) {
    if (!is({phi3})) wanted.rope_scaling_type = RopeScalingType::llama3;
    wanted.rope_scaling_factor = context_growth(model);
  }
  if (is({phi3, gpt_neox, glm4_moe})) wanted.rotary_percent = model.rotary_percent;
  allow_latent_attention(model, wanted);
  if (is({gpt2, gpt_neox})) wanted.num_query_groups = model.num_attention_heads;
  if (is({gpt2, gpt_neox, olmoe, deepseek})) {
    wanted.head_dim =
        model.num_attention_heads == 0 ? 0 : model.hidden_size / model.num_attention_heads;
  }
  if (is({glm4_moe})) {
    wanted.add_qkv_bias = model.add_qkv_bias;
    wanted.qk_layernorm = model.qk_layernorm;
  }
  if (is({gpt_neox})) {
    wanted.parallel_block = model.parallel_block;
    if (model.activation == Activation::gelu) wanted.activation = Activation::gelu;
  }
  if (is({gemma2, gemma3})) allow_gemma_numbers(model, wanted);
  if (is({olmo3})) {
    allow_window_pattern(model, wanted);
    wanted.rope_local_base_freq = model.use_rope_scaling ? model.rotary_base : 0;
  }
  return wanted;
}

// Returns whether `text` is a config.json that describes `model`.
bool describes(const std::string& text, const ModelConfig& model) {
  try {
    ModelConfig found = parse_model_json(text, "config.json").model;
    // config.json has no such keys.
    found.seq_length = model.seq_length;
    found.make_vocab_size_divisible_by = model.make_vocab_size_divisible_by;
    found.hidden_dropout = model.hidden_dropout;
    found.attention_dropout = model.attention_dropout;
    found.dtype = model.dtype;
    found.fp8 = model.fp8;
    found.fp8_recipe = model.fp8_recipe;
    found.fp8_param_gather = model.fp8_param_gather;
    copy_training_keys(model.moe, found.moe);
    return found == model;
  } catch (const Error&) {
    return false;
  }
}

void write_family(const ModelConfig& model, nlohmann::ordered_json& json) {
  switch (model.type) {
    case ModelType::gpt2:
      return write_gpt2(model, json);
    case ModelType::gpt_neox:
      return write_gpt_neox(model, json);
    case ModelType::gemma2:
    case ModelType::gemma3:
      return write_gemma(model, json);
    default:
      return write_llama(model, json);
  }
}

ModelConfig parse_family(const JsonReader& json, ModelType type, std::vector<std::string>& notes) {
  switch (type) {
    case ModelType::gpt2:
      return parse_gpt2(json, notes);
    case ModelType::gpt_neox:
      return parse_gpt_neox(json, notes);
    case ModelType::gemma2:
    case ModelType::gemma3:
      return parse_gemma(json, type, notes);
    default:
      return parse_llama(json, type, notes);
  }
}

const char* dtype_name(StoredType dtype) {
  return dtype == StoredType::bfloat16 ? "bfloat16" : "float32";
}

}  // namespace

void check_exportable(const ModelConfig& model) {
  const ModelConfig wanted = expressible(model);
  std::vector<Error> errors;
  const Config wanted_config{.model = wanted}, config{.model = model};
  for (const Field& field : config_fields()) {
    if (field.section != "model" && field.section != "moe") continue;
    const std::string expected = toml_value(field, wanted_config),
                      found = toml_value(field, config);
    if (expected == found) continue;
    errors.emplace_back(
        ErrorCode::unsupported,
        fmt::format("cannot export to Hugging Face's {}: expected {} = {}, found {}",
                    family_of(model.type).title, full_name(field), expected, found));
  }
  if (!errors.empty()) throw join_errors(errors);
}

std::string to_model_json(const ModelConfig& model, const ModelJsonOptions& options) {
  nlohmann::ordered_json json;
  const Family& family = family_of(model.type);
  json["architectures"] = {std::string(family.architecture)};
  json["model_type"] = std::string(family.name);
  json["vocab_size"] = model.vocab_size;
  write_family(model, json);
  if (family.experts != ExpertKeys::none) write_experts(model, json);
  json["initializer_range"] = model.init_method_std;
  json["tie_word_embeddings"] = !model.untie_embeddings_and_output_weights;
  for (const char* key : {"bos_token_id", "eos_token_id"}) {
    json[key] = nullptr;
    if (options.eos_token_id) json[key] = *options.eos_token_id;
  }
  json["torch_dtype"] = dtype_name(options.dtype.value_or(StoredType::float32));
  json["use_cache"] = true;
  return json.dump(2) + "\n";
}

std::string update_model_json(const std::string& original, const ModelConfig& model,
                              const ModelJsonOptions& options) {
  auto json = nlohmann::ordered_json::parse(original);
  bool changed = false;
  for (const char* key : {"torch_dtype", "dtype"}) {
    if (!options.dtype || !json.contains(key) || json[key] == dtype_name(*options.dtype)) continue;
    json[key] = dtype_name(*options.dtype);
    changed = true;
  }
  const JsonReader read(original, "config.json");
  if (read.has(kQuantization)) {
    json.erase(kQuantization);
    changed = true;
  }
  if (prediction_layers(read, model.type) > 0) {
    json[kPredictionLayers] = 0;  // an import leaves these layers out
    changed = true;
  }
  if (!describes(original, model)) {
    changed = true;
    const auto own = nlohmann::ordered_json::parse(to_model_json(model, options));
    for (const auto& [key, value] : own.items()) {
      const bool only_if_absent = key == "bos_token_id" || key == "eos_token_id" ||
                                  key == "use_cache" || key == "torch_dtype";
      if (!only_if_absent || !json.contains(key)) json[key] = value;
    }
    if (!describes(json.dump(), model)) return own.dump(2) + "\n";
  }
  return changed ? json.dump(2) + "\n" : original;
}

ParsedModelJson parse_model_json(std::string_view text, const std::string& file) {
  const JsonReader json(text, file);
  ParsedModelJson parsed;
  parsed.scale_blocks = read_scale_blocks(json);
  const Family* family = find_family(json.text("model_type"));
  if (family == nullptr) throw json.unsupported("model_type", family_names());
  for (const char* key : {"num_experts", "num_local_experts", "n_routed_experts"}) {
    if (family->experts == ExpertKeys::none)
      json.need(key, nullptr, "models of this family have no experts");
  }
  parsed.model = parse_family(json, family->type, parsed.notes);
  parsed.model.seq_length = std::min(parsed.model.max_position_embeddings, kImportedSequenceMax);
  check_ranges(parsed.model, file);  // before the experts, which go through all layers
  if (family->experts != ExpertKeys::none) {
    parse_experts(json, parsed.model);
    check_ranges(parsed.model, file);
  }
  parsed.model = resolve(Config{.model = parsed.model}).model;
  parsed.prediction_layers = prediction_layers(json, family->type);
  if (parsed.prediction_layers > 0) {
    parsed.notes.push_back(
        fmt::format("{} = {}: the layers that predict further tokens are left out, and an export "
                    "says 0",
                    kPredictionLayers, parsed.prediction_layers));
  }
  return parsed;
}

}  // namespace megascale::checkpoint::huggingface
