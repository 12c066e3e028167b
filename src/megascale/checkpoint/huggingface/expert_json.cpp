// Translates the keys of config.json that describe experts: those of Mixtral, OLMoE, Qwen2-MoE and
// Qwen3-MoE, and those of DeepSeekMoE, which dots.llm1, GLM-4.5, and DeepSeek-V2 and V3 share.
// Defaults of absent keys are those of the families' configuration classes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/derived.h"

namespace megascale::checkpoint::huggingface {
namespace {

// The defaults that differ; 0: the key must be there.
struct Defaults {
  std::int64_t experts = 0, choices = 0, width = 0;
};
constexpr Defaults kMixtral{.experts = 8, .choices = 2}, kOlmoe{.experts = 64, .choices = 8},
    kQwen2{.experts = 60, .choices = 4, .width = 1408},
    kQwen3{.experts = 128, .choices = 8, .width = 768}, kDeepSeek{.width = 1407},
    kDots{.width = 1408}, kGlm{.experts = 128, .choices = 8, .width = 1408},
    kDeepSeekV2{.experts = 64, .width = 1407},
    kDeepSeekV3{.experts = 256, .choices = 8, .width = 2048};

const Defaults& defaults_of(ModelType type) {
  switch (type) {
    case ModelType::mixtral:
      return kMixtral;
    case ModelType::olmoe:
      return kOlmoe;
    case ModelType::qwen2_moe:
      return kQwen2;
    case ModelType::deepseek:
      return kDeepSeek;
    case ModelType::dots1:
      return kDots;
    case ModelType::glm4_moe:
      return kGlm;
    case ModelType::deepseek_v2:
      return kDeepSeekV2;
    case ModelType::deepseek_v3:
      return kDeepSeekV3;
    default:
      return kQwen3;
  }
}

std::int64_t integer(const JsonReader& json, const char* key, std::int64_t otherwise) {
  return otherwise > 0 ? json.integer(key, otherwise) : json.integer(key);
}

const char* count_key(ExpertKeys keys) {
  if (keys == ExpertKeys::deepseek) return "n_routed_experts";
  return keys == ExpertKeys::mixtral ? "num_local_experts" : "num_experts";
}

bool has_one_width(ExpertKeys keys) {
  return keys == ExpertKeys::mixtral || keys == ExpertKeys::olmoe;
}

// A layer has experts if decoder_sparse_step divides its number, counted from 1, and mlp_only_layers
// does not name it, counted from 0. Ours follow one another at equal distances up to the last one.
void read_layers_with_experts(const JsonReader& json, ModelConfig& model) {
  const std::int64_t step = json.integer("decoder_sparse_step", 1);
  const std::vector<std::int64_t> listed = json.counts("mlp_only_layers");
  const std::set<std::int64_t> dense(listed.begin(), listed.end());
  const auto is_sparse = [&](std::int64_t layer) {
    return (layer + 1) % step == 0 && !dense.contains(layer);
  };
  std::vector<std::int64_t> sparse;
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer) {
    if (is_sparse(layer)) sparse.push_back(layer);
  }
  if (!sparse.empty()) {
    model.moe.first_dense_layers = sparse.front();
    if (sparse.back() + 1 < model.num_layers)  // so that a single one has no successor
      model.moe.layer_freq = model.num_layers - sparse.front();
    if (sparse.size() > 1) model.moe.layer_freq = sparse[1] - sparse[0];
  }
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer) {
    if (!sparse.empty() && has_experts(model, layer) == is_sparse(layer)) continue;
    // One of the keys is there, since without both of them every layer has experts.
    throw json.unsupported(json.has("mlp_only_layers") ? "mlp_only_layers" : "decoder_sparse_step",
                           "layers with experts at equal distances up to the last layer");
  }
}

// Layers from first_k_dense_replace on have experts, in DeepSeekMoE those of them whose number
// moe_layer_freq divides, counted from 0.
void read_layers_behind_dense_ones(const JsonReader& json, ModelConfig& model) {
  const std::int64_t absent = model.type == ModelType::deepseek_v3 ? 3
                              : model.type == ModelType::glm4_moe  ? 1
                                                                   : 0;
  const std::int64_t first = json.count("first_k_dense_replace", absent);
  if (model.type != ModelType::deepseek) json.need("moe_layer_freq", 1);
  const std::int64_t step = json.integer("moe_layer_freq", 1), rest = first % step;
  model.moe.layer_freq = step;
  model.moe.first_dense_layers = rest == 0 ? first : first - rest + step;
}

bool has_sigmoid_scores(ModelType type) {
  return is_one_of(type, {ModelType::dots1, ModelType::glm4_moe, ModelType::deepseek_v3});
}

// A group is as good as the sum of its best experts: of the best two in the families with sigmoid
// scores, of the best one in DeepSeek-V2.
std::int64_t best_of_group(ModelType type) { return type == ModelType::deepseek_v2 ? 1 : 2; }

// If a token may choose all groups, these limit nothing.
void read_groups(const JsonReader& json, ModelConfig& model) {
  MoeConfig& moe = model.moe;
  const bool v3 = model.type == ModelType::deepseek_v3;
  const std::int64_t groups = json.integer("n_group", v3 ? 8 : 1),
                     chosen = json.integer("topk_group", v3 ? 4 : 1),
                     best = best_of_group(model.type), size = moe.num_experts / groups;
  if (chosen >= groups) return;
  if (moe.num_experts % groups != 0 || size < best) {
    throw json.unsupported("n_group", "a divisor of n_routed_experts",
                           fmt::format("each group has equally many experts, at least {}", best));
  }
  const std::int64_t least = std::max(best, chosen), most = chosen * size;
  if (moe.router_topk < least || moe.router_topk > most) {
    throw json.unsupported("num_experts_per_tok", fmt::format("{} to {}", least, most),
                           "a token has an expert or more in each of its groups");
  }
  moe.router_num_groups = groups;
  moe.router_group_topk = chosen;
  if (moe.router_topk / chosen != best) moe.router_group_best = best;
}

// Softmax scores are weights as they are, times a factor. transformers' class and the program that
// DeepSeek publishes beside its files differ in what norm_topk_prob = true means. No published file
// has it.
void parse_router_of_v2(const JsonReader& json, ModelConfig& model) {
  json.need_one_of("scoring_func", {"softmax"});
  json.need_one_of("topk_method", {"greedy", "group_limited_greedy"});
  json.need("norm_topk_prob", false, "programs differ in what it means with this family");
  model.moe.router_topk_scaling_factor = json.number("routed_scaling_factor", 1.0);
  if (json.has("topk_method") && json.text("topk_method") == "group_limited_greedy")
    read_groups(json, model);
}

std::int64_t shared_experts(const JsonReader& json, ModelType type) {
  constexpr const char* kKey = "n_shared_experts";
  switch (type) {
    case ModelType::deepseek:
      return json.count(kKey, 0);
    case ModelType::dots1:
      return json.integer(kKey);
    case ModelType::deepseek_v2:
      return json.integer(kKey, 2);
    default:
      return json.integer(kKey, 1);
  }
}

// DeepSeekMoE's router is that of Qwen, and so is that of DeepSeek-V2, with a factor. The others
// choose by sigmoid and a bias for each expert. The shared experts, each as wide as a routed one,
// are one MLP in the files too.
void parse_deepseek_experts(const JsonReader& json, ModelConfig& model) {
  MoeConfig& moe = model.moe;
  read_layers_behind_dense_ones(json, model);
  const std::int64_t shared = shared_experts(json, model.type);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  moe.shared_expert_intermediate_size =
      shared > kMost / moe.ffn_hidden_size ? kMost : shared * moe.ffn_hidden_size;
  if (model.type == ModelType::deepseek) {
    for (const char* key : {"n_group", "topk_group"}) json.need(key, 1);
    json.need_one_of("scoring_func", {"softmax"});
    json.need("routed_scaling_factor", 1.0);
    return;
  }
  if (model.type == ModelType::deepseek_v2) return parse_router_of_v2(json, model);
  if (model.type == ModelType::deepseek_v3) {
    json.need_one_of("scoring_func", {"sigmoid"});
    json.need_one_of("topk_method", {"noaux_tc"});
  }
  moe.router_score_function = ScoreFunction::sigmoid;
  moe.router_enable_expert_bias = true;
  moe.router_topk_scaling_factor =
      json.number("routed_scaling_factor", model.type == ModelType::deepseek_v3 ? 2.5 : 1.0);
  read_groups(json, model);
}

void write_deepseek_experts(const ModelConfig& model, nlohmann::ordered_json& json) {
  const MoeConfig& moe = model.moe;
  json["n_shared_experts"] = moe.shared_expert_intermediate_size / moe.ffn_hidden_size;
  json["first_k_dense_replace"] = moe.first_dense_layers;
  if (model.type == ModelType::deepseek) {
    json["moe_layer_freq"] = moe.layer_freq;
    json["scoring_func"] = "softmax";
    return;
  }
  json["routed_scaling_factor"] = moe.router_topk_scaling_factor;
  json["n_group"] = std::max<std::int64_t>(moe.router_num_groups, 1);
  json["topk_group"] = std::max<std::int64_t>(moe.router_group_topk, 1);
  if (model.type == ModelType::deepseek_v3) {
    json["topk_method"] = "noaux_tc";
    json["scoring_func"] = "sigmoid";
  }
  if (model.type == ModelType::deepseek_v2) {
    json["topk_method"] = moe.router_num_groups > 0 ? "group_limited_greedy" : "greedy";
    json["scoring_func"] = "softmax";
  }
}

}  // namespace

void copy_training_keys(const MoeConfig& from, MoeConfig& to) {
  to.aux_loss_coeff = from.aux_loss_coeff;
  to.z_loss_coeff = from.z_loss_coeff;
  to.device_groups = from.device_groups;
  to.device_aux_loss_coeff = from.device_aux_loss_coeff;
  to.communication_aux_loss_coeff = from.communication_aux_loss_coeff;
  to.expert_capacity_factor = from.expert_capacity_factor;
  to.capacity_exempt_share = from.capacity_exempt_share;
  to.rows_bound = from.rows_bound;
  to.rows_overflow = from.rows_overflow;
  to.router_bias_update_rate = from.router_bias_update_rate;
  to.token_dispatcher_type = from.token_dispatcher_type;
  to.token_dispatcher_rates = from.token_dispatcher_rates;
  to.fp8_communication = from.fp8_communication;
  to.fp8_communication_recipe = from.fp8_communication_recipe;
  to.routing_replay = from.routing_replay;
  to.routing_replay_dir = from.routing_replay_dir;
}

MoeConfig expressible_experts(const ModelConfig& model) {
  const ExpertKeys keys = family_of(model.type).experts;
  const MoeConfig& moe = model.moe;
  if (keys == ExpertKeys::none) {
    MoeConfig none = moe;
    none.num_experts = 0;  // then the other keys have no effect
    return none;
  }
  MoeConfig wanted{.num_experts = std::max<std::int64_t>(moe.num_experts, 1),
                   .router_topk = moe.router_topk,
                   .ffn_hidden_size = moe.ffn_hidden_size,
                   .norm_topk_prob = keys == ExpertKeys::mixtral || moe.norm_topk_prob};
  copy_training_keys(moe, wanted);
  if (has_one_width(keys)) return wanted;
  wanted.layer_freq = moe.layer_freq;
  wanted.first_dense_layers = moe.first_dense_layers;
  if (model.type == ModelType::qwen2_moe) {
    wanted.shared_expert_intermediate_size =
        std::max<std::int64_t>(moe.shared_expert_intermediate_size, 1);
    wanted.shared_expert_gate = true;
  }
  if (keys != ExpertKeys::deepseek) return wanted;
  const bool first = model.type == ModelType::deepseek, sigmoid = has_sigmoid_scores(model.type);
  const std::int64_t width = std::max<std::int64_t>(moe.ffn_hidden_size, 1),
                     shared = moe.shared_expert_intermediate_size / width;
  wanted.shared_expert_intermediate_size = width * std::max<std::int64_t>(shared, first ? 0 : 1);
  if (first) {
    wanted.first_dense_layers -= moe.first_dense_layers % moe.layer_freq;
    return wanted;
  }
  wanted.layer_freq = 1;
  if (sigmoid) wanted.router_score_function = ScoreFunction::sigmoid;
  wanted.router_enable_expert_bias = sigmoid;
  if (model.type == ModelType::deepseek_v2) wanted.norm_topk_prob = false;
  wanted.router_topk_scaling_factor = moe.router_topk_scaling_factor;
  if (moe.router_group_topk > 0 && moe.router_group_topk < moe.router_num_groups) {
    const std::int64_t best = best_of_group(model.type);
    wanted.router_num_groups = moe.router_num_groups;
    wanted.router_group_topk = moe.router_group_topk;
    wanted.router_group_best =
        moe.router_group_best == 0 && moe.router_topk / moe.router_group_topk == best ? 0 : best;
  }
  return wanted;
}

void parse_experts(const JsonReader& json, ModelConfig& model) {
  MoeConfig& moe = model.moe;
  const ExpertKeys keys = family_of(model.type).experts;
  const Defaults& defaults = defaults_of(model.type);
  moe.num_experts = integer(json, count_key(keys), defaults.experts);
  moe.router_topk = integer(json, "num_experts_per_tok", defaults.choices);
  moe.ffn_hidden_size = has_one_width(keys) ? model.ffn_hidden_size
                                            : json.integer("moe_intermediate_size", defaults.width);
  // Mixtral always divides the weights by their sum, and reads no such key.
  moe.norm_topk_prob =
      keys == ExpertKeys::mixtral ||
      json.boolean("norm_topk_prob",
                   is_one_of(model.type, {ModelType::glm4_moe, ModelType::deepseek_v3}));
  if (keys == ExpertKeys::deepseek) return parse_deepseek_experts(json, model);
  if (keys != ExpertKeys::qwen) return;
  read_layers_with_experts(json, model);
  if (model.type != ModelType::qwen2_moe) return;
  moe.shared_expert_gate = true;
  moe.shared_expert_intermediate_size = json.integer("shared_expert_intermediate_size", 5632);
}

void write_experts(const ModelConfig& model, nlohmann::ordered_json& json) {
  const MoeConfig& moe = model.moe;
  const ExpertKeys keys = family_of(model.type).experts;
  json[count_key(keys)] = moe.num_experts;
  json["num_experts_per_tok"] = moe.router_topk;
  json["output_router_logits"] = false;
  if (keys == ExpertKeys::mixtral) return;
  json["norm_topk_prob"] = moe.norm_topk_prob;
  if (keys == ExpertKeys::olmoe) return;
  json["moe_intermediate_size"] = moe.ffn_hidden_size;
  if (keys == ExpertKeys::deepseek) return write_deepseek_experts(model, json);
  if (model.type == ModelType::qwen2_moe)
    json["shared_expert_intermediate_size"] = moe.shared_expert_intermediate_size;
  json["decoder_sparse_step"] = 1;
  json["mlp_only_layers"] = nlohmann::json::array();
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer) {
    if (!has_experts(model, layer)) json["mlp_only_layers"].push_back(layer);
  }
}

}  // namespace megascale::checkpoint::huggingface
