// Translates the keys of config.json that describe experts: those of Mixtral and of Qwen3-MoE.
// Defaults of absent keys are those of transformers' configuration classes.
#include <nlohmann/json.hpp>

#include "megascale/checkpoint/huggingface/family.h"

namespace megascale::checkpoint::huggingface {

void parse_experts(const JsonReader& json, ModelConfig& model) {
  MoeConfig& moe = model.moe;
  const bool mixtral = model.type == ModelType::mixtral;
  moe.num_experts =
      mixtral ? json.integer("num_local_experts", 8) : json.integer("num_experts", 128);
  moe.router_topk = json.integer("num_experts_per_tok", mixtral ? 2 : 8);
  moe.ffn_hidden_size =
      mixtral ? model.ffn_hidden_size : json.integer("moe_intermediate_size", 768);
  // Mixtral always divides the weights by their sum, and reads no such key.
  moe.norm_topk_prob = mixtral || json.boolean("norm_topk_prob", false);
  if (mixtral) return;
  json.need("decoder_sparse_step", 1);
  json.need("mlp_only_layers", nlohmann::json::array());
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
  json["norm_topk_prob"] = moe.norm_topk_prob;
  json["decoder_sparse_step"] = 1;
  json["mlp_only_layers"] = nlohmann::json::array();
}

}  // namespace megascale::checkpoint::huggingface
