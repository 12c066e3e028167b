// Translates the keys of config.json that describe the latent attention of DeepSeek-V2 and V3.
// Defaults of absent keys are those of transformers' configuration classes.
#include <nlohmann/json.hpp>

#include "megascale/checkpoint/huggingface/family.h"

namespace megascale::checkpoint::huggingface {

void read_latent_attention(const JsonReader& json, ModelConfig& model) {
  // Null means that queries have no latent vector. An absent key is 1536 in both classes.
  model.q_lora_rank = json.is_null("q_lora_rank") ? 0 : json.integer("q_lora_rank", 1536);
  model.kv_lora_rank = json.integer("kv_lora_rank", 512);
  model.qk_head_dim = json.integer("qk_nope_head_dim", 128);
  model.qk_pos_emb_head_dim = json.integer("qk_rope_head_dim", 64);
  model.v_head_dim = json.integer("v_head_dim", 128);
  model.head_dim = 0;  // follows from these
  json.need("num_key_value_heads", model.num_attention_heads,
            "with latent attention each query head has a key head of its own");
  json.need("head_dim", model.qk_pos_emb_head_dim,
            "transformers takes it for the number of rotated channels");
  json.need("rope_interleave", true,
            "rotated channels of this family's files are expected side by side");
}

void write_latent_attention(const ModelConfig& model, nlohmann::ordered_json& json) {
  json["q_lora_rank"] = nullptr;
  if (model.q_lora_rank > 0) json["q_lora_rank"] = model.q_lora_rank;
  json["kv_lora_rank"] = model.kv_lora_rank;
  json["qk_nope_head_dim"] = model.qk_head_dim;
  json["qk_rope_head_dim"] = model.qk_pos_emb_head_dim;
  json["v_head_dim"] = model.v_head_dim;
  if (model.type == ModelType::deepseek_v3) json["rope_interleave"] = true;
  json["attention_bias"] = false;
}

}  // namespace megascale::checkpoint::huggingface
