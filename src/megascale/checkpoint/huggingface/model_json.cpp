// Translates config.json of Hugging Face. The settings that change the computation are translated
// or, if our models cannot express them, refused. Only the dropout rates of GPT-2 are passed over,
// with a note. An export compares the model with the defaults of its family. A key that is added to
// [model] later is therefore refused until it is translated here.
#include "megascale/checkpoint/huggingface/model_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/rules.h"

namespace megascale::checkpoint::huggingface {
namespace {

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

// Copies the keys that change training and not the model: config.json has none like them.
void copy_training_keys(const MoeConfig& from, MoeConfig& to) {
  to.aux_loss_coeff = from.aux_loss_coeff;
  to.z_loss_coeff = from.z_loss_coeff;
  to.device_groups = from.device_groups;
  to.device_aux_loss_coeff = from.device_aux_loss_coeff;
  to.communication_aux_loss_coeff = from.communication_aux_loss_coeff;
  to.expert_capacity_factor = from.expert_capacity_factor;
  to.capacity_exempt_share = from.capacity_exempt_share;
  to.rows_bound = from.rows_bound;
  to.router_bias_update_rate = from.router_bias_update_rate;
  to.token_dispatcher_type = from.token_dispatcher_type;
  to.token_dispatcher_rates = from.token_dispatcher_rates;
  to.fp8_communication = from.fp8_communication;
  to.routing_replay = from.routing_replay;
  to.routing_replay_dir = from.routing_replay_dir;
}

// Returns the form of `model` that its family can express. It equals `model` if the family can
// express that.
ModelConfig expressible(const ModelConfig& model) {
  ModelConfig wanted = model;
  apply_model_type_defaults(wanted);
  // All families have tie_word_embeddings. Llama has attention_bias and mlp_bias.
  wanted.untie_embeddings_and_output_weights = model.untie_embeddings_and_output_weights;
  if (model.type == ModelType::llama) wanted.add_bias_linear = model.add_bias_linear;
  wanted.parallel_block = false;
  if (!family_of(model.type).has_experts) {
    wanted.moe.num_experts = 0;  // then the other keys have no effect
  } else {
    wanted.moe = MoeConfig{.num_experts = std::max<std::int64_t>(model.moe.num_experts, 1),
                           .router_topk = model.moe.router_topk,
                           .ffn_hidden_size = model.moe.ffn_hidden_size,
                           .norm_topk_prob = model.moe.norm_topk_prob};
    copy_training_keys(model.moe, wanted.moe);
    if (model.type == ModelType::mixtral) {
      wanted.moe.norm_topk_prob = true;
      wanted.ffn_hidden_size = model.moe.ffn_hidden_size;  // there is one width
    } else {
      wanted.moe.layer_freq = model.moe.layer_freq;
      wanted.moe.first_dense_layers = model.moe.first_dense_layers;
    }
    if (model.type == ModelType::qwen2_moe) {
      wanted.moe.shared_expert_intermediate_size =
          std::max<std::int64_t>(model.moe.shared_expert_intermediate_size, 1);
      wanted.moe.shared_expert_gate = true;
    }
  }
  if (model.type == ModelType::gpt2 || model.type == ModelType::llama) wanted.sliding_window = 0;
  if (!family_of(model.type).name.starts_with("qwen")) wanted.full_attention_layers = 0;
  if (model.type == ModelType::gpt2) {
    wanted.use_rope_scaling = false;
    wanted.num_query_groups = model.num_attention_heads;
    wanted.head_dim =
        model.num_attention_heads == 0 ? 0 : model.hidden_size / model.num_attention_heads;
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
    copy_training_keys(model.moe, found.moe);
    return found == model;
  } catch (const Error&) {
    return false;
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
  if (model.type == ModelType::gpt2) {
    write_gpt2(model, json);
  } else {
    write_llama(model, json);
  }
  if (family.has_experts) write_experts(model, json);
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
  json.need("quantization_config", nullptr, "quantised weights cannot be imported");
  const Family* family = find_family(json.text("model_type"));
  if (family == nullptr) throw json.unsupported("model_type", family_names());
  for (const char* key : {"num_experts", "num_local_experts", "n_routed_experts"}) {
    if (!family->has_experts) json.need(key, nullptr, "models of this family have no experts");
  }
  parsed.model = family->type == ModelType::gpt2 ? parse_gpt2(json, parsed.notes)
                                                 : parse_llama(json, family->type);
  parsed.model.seq_length = std::min(parsed.model.max_position_embeddings, kImportedSequenceMax);
  check_ranges(parsed.model, file);  // before the experts, which go through all layers
  if (family->has_experts) {
    parse_experts(json, parsed.model);
    check_ranges(parsed.model, file);
  }
  parsed.model = resolve(Config{.model = parsed.model}).model;
  return parsed;
}

}  // namespace megascale::checkpoint::huggingface
