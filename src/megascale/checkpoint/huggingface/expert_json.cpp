// Translates the keys of config.json that describe experts: those of Mixtral, Qwen2-MoE and Qwen3-MoE.
// Defaults of absent keys are those of transformers' configuration classes.
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/derived.h"

namespace megascale::checkpoint::huggingface {
namespace {

// The defaults that differ.
struct Defaults {
  std::int64_t experts = 0, choices = 0, width = 0;
};
constexpr Defaults kMixtral{.experts = 8, .choices = 2},
    kQwen2{.experts = 60, .choices = 4, .width = 1408},
    kQwen3{.experts = 128, .choices = 8, .width = 768};

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

}  // namespace

void parse_experts(const JsonReader& json, ModelConfig& model) {
  MoeConfig& moe = model.moe;
  const bool mixtral = model.type == ModelType::mixtral, qwen2 = model.type == ModelType::qwen2_moe;
  const Defaults& defaults = mixtral ? kMixtral : qwen2 ? kQwen2 : kQwen3;
  moe.num_experts = json.integer(mixtral ? "num_local_experts" : "num_experts", defaults.experts);
  moe.router_topk = json.integer("num_experts_per_tok", defaults.choices);
  moe.ffn_hidden_size =
      mixtral ? model.ffn_hidden_size : json.integer("moe_intermediate_size", defaults.width);
  // Mixtral always divides the weights by their sum, and reads no such key.
  moe.norm_topk_prob = mixtral || json.boolean("norm_topk_prob", false);
  if (mixtral) return;
  read_layers_with_experts(json, model);
  moe.shared_expert_gate = qwen2;
  if (qwen2)
    moe.shared_expert_intermediate_size = json.integer("shared_expert_intermediate_size", 5632);
}

void write_experts(const ModelConfig& model, nlohmann::ordered_json& json) {
  const MoeConfig& moe = model.moe;
  json["num_experts_per_tok"] = moe.router_topk;
  json["output_router_logits"] = false;
  if (model.type == ModelType::mixtral) {
    json["num_local_experts"] = moe.num_experts;
    return;
  }
  json["num_experts"] = moe.num_experts;
  json["moe_intermediate_size"] = moe.ffn_hidden_size;
  if (model.type == ModelType::qwen2_moe)
    json["shared_expert_intermediate_size"] = moe.shared_expert_intermediate_size;
  json["norm_topk_prob"] = moe.norm_topk_prob;
  json["decoder_sparse_step"] = 1;
  json["mlp_only_layers"] = nlohmann::json::array();
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer) {
    if (!has_experts(model, layer)) json["mlp_only_layers"].push_back(layer);
  }
}

}  // namespace megascale::checkpoint::huggingface
