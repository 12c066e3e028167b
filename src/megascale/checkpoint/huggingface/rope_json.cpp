// Translates the keys of config.json that describe rotary positions, which most families share: the
// base, the share of a head that is rotated, and the scaling of frequencies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "megascale/checkpoint/huggingface/family.h"

namespace megascale::checkpoint::huggingface {
namespace {

// Two keys of DeepSeek state the attention factor of YaRN as a quotient. With latent attention the
// second one also changes all scores, so both are kept (read_yarn).
double attention_factor(const JsonReader& rope, double factor) {
  const double of_all = rope.number("mscale_all_dim", 0), of_rope = rope.number("mscale", 0);
  if (rope.has("attention_factor")) return rope.number("attention_factor");
  if (of_all == 0 || of_rope == 0) return 0;  // that is, as the factor says
  const auto value = [&](double scale) {
    return factor > 1 ? 0.1 * scale * std::log(factor) + 1 : 1.0;
  };
  return value(of_rope) / value(of_all);
}

void read_llama3(const JsonReader& rope, ModelConfig& model) {
  model.rope_scaling_type = RopeScalingType::llama3;
  model.rope_low_freq_factor = rope.number("low_freq_factor");
  model.rope_high_freq_factor = rope.number("high_freq_factor");
  model.original_max_position_embeddings = rope.integer("original_max_position_embeddings");
}

void read_yarn(const JsonReader& rope, ModelConfig& model) {
  model.rope_scaling_type = RopeScalingType::yarn;
  model.original_max_position_embeddings =
      rope.integer("original_max_position_embeddings", model.max_position_embeddings);
  model.rope_beta_fast = rope.number("beta_fast", 32);
  model.rope_beta_slow = rope.number("beta_slow", 1);
  if (model.multi_latent_attention) {
    model.rope_attention_factor = rope.number("attention_factor", 0);
    model.rope_mscale = rope.number("mscale", 0);
    model.rope_mscale_all_dim = rope.number("mscale_all_dim", 0);
  } else {
    model.rope_attention_factor = attention_factor(rope, model.rope_scaling_factor);
  }
  rope.need("truncate", true);
}

// The base grows for contexts beyond max_position_embeddings, which stays what it is.
void read_dynamic(const JsonReader& rope, ModelConfig& model) {
  model.rope_scaling_type = RopeScalingType::dynamic;
  model.original_max_position_embeddings = model.max_position_embeddings;
  rope.need("original_max_position_embeddings", model.max_position_embeddings);
}

// Phi-3's first files call it "su". Most files state the original context outside of this object; it is 0
// then, and read_rope() takes it from there.
void read_longrope(const JsonReader& rope, ModelConfig& model) {
  model.rope_scaling_type = RopeScalingType::longrope;
  model.rope_short_factor = rope.numbers("short_factor");
  model.rope_long_factor = rope.numbers("long_factor");
  model.rope_attention_factor = rope.number("attention_factor", 0);
  model.original_max_position_embeddings = rope.integer("original_max_position_embeddings", 0);
}

void read_scaling(const JsonReader& rope, ModelConfig& model) {
  std::string type = "default";
  for (const char* key : {"rope_type", "type"}) {
    if (model.type == ModelType::phi3) {
      rope.need_one_of(key, {"default", "longrope", "su"});
    } else if (model.multi_latent_attention) {
      rope.need_one_of(key, {"default", "yarn"});
    } else {
      rope.need_one_of(key, {"default", "llama3", "linear", "dynamic", "yarn"});
    }
    if (rope.has(key)) type = rope.text(key);
  }
  if (type == "default") return;
  model.use_rope_scaling = true;
  if (model.type == ModelType::phi3) return read_longrope(rope, model);
  model.rope_scaling_factor = rope.number("factor");
  if (type == "llama3") return read_llama3(rope, model);
  if (type == "yarn") return read_yarn(rope, model);
  if (type == "dynamic") return read_dynamic(rope, model);
  model.rope_scaling_type = RopeScalingType::linear;
}

nlohmann::ordered_json scaling_json(const ModelConfig& model) {
  const double factor = model.rope_scaling_factor;
  switch (model.rope_scaling_type) {
    case RopeScalingType::linear:
      return {{"rope_type", "linear"}, {"factor", factor}};
    case RopeScalingType::dynamic:
      return {{"rope_type", "dynamic"}, {"factor", factor}};
    case RopeScalingType::llama3:
      return {{"rope_type", "llama3"},
              {"factor", factor},
              {"low_freq_factor", model.rope_low_freq_factor},
              {"high_freq_factor", model.rope_high_freq_factor},
              {"original_max_position_embeddings", model.original_max_position_embeddings}};
    case RopeScalingType::longrope: {
      // Phi-3's configuration class of older versions takes these three keys and no other.
      nlohmann::ordered_json json{{"type", "longrope"},
                                  {"short_factor", model.rope_short_factor},
                                  {"long_factor", model.rope_long_factor}};
      if (model.rope_attention_factor > 0) json["attention_factor"] = model.rope_attention_factor;
      return json;
    }
    case RopeScalingType::yarn:
      break;
  }
  // The code that DeepSeek publishes beside its files knows "type" only.
  nlohmann::ordered_json json{
      {model.multi_latent_attention ? "type" : "rope_type", "yarn"},
      {"factor", factor},
      {"beta_fast", model.rope_beta_fast},
      {"beta_slow", model.rope_beta_slow},
      {"original_max_position_embeddings", model.original_max_position_embeddings}};
  if (model.rope_attention_factor > 0) json["attention_factor"] = model.rope_attention_factor;
  if (model.rope_mscale > 0) json["mscale"] = model.rope_mscale;
  if (model.rope_mscale_all_dim > 0) json["mscale_all_dim"] = model.rope_mscale_all_dim;
  return json;
}

}  // namespace

double context_growth(const ModelConfig& model) {
  return std::max(1.0, static_cast<double>(model.max_position_embeddings) /
                           static_cast<double>(model.original_max_position_embeddings));
}

void read_rope_object(const JsonReader& json, ModelConfig& model) {
  model.rotary_base = json.number("rope_theta", model.rotary_base);
  if (model.type == ModelType::phi3 || model.type == ModelType::gpt_neox ||
      model.type == ModelType::glm4_moe) {
    model.rotary_percent = json.number("partial_rotary_factor", model.rotary_percent);
  } else {
    json.need("partial_rotary_factor", 1.0);
  }
  read_scaling(json, model);
}

void read_rope(const JsonReader& json, ModelConfig& model) {
  read_rope_object(json, model);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (json.has(key)) read_rope_object(json.object(key), model);
  }
  if (model.rope_scaling_type != RopeScalingType::longrope) return;
  if (model.original_max_position_embeddings == 0)
    model.original_max_position_embeddings = json.integer("original_max_position_embeddings", 4096);
  model.rope_scaling_factor = context_growth(model);
}

void write_rope(const ModelConfig& model, nlohmann::ordered_json& json) {
  json["rope_theta"] = model.rotary_base;
  // An absent key means half a head in GLM-4.5, and a whole one in the other families.
  if (model.rotary_percent != 1 || model.type == ModelType::glm4_moe)
    json["partial_rotary_factor"] = model.rotary_percent;
  json["rope_scaling"] = nullptr;
  if (!model.use_rope_scaling) return;
  json["rope_scaling"] = scaling_json(model);
  if (model.rope_scaling_type == RopeScalingType::longrope)
    json["original_max_position_embeddings"] = model.original_max_position_embeddings;
  // In transformers these frequencies change beyond max_position_embeddings.
  if (model.rope_scaling_type == RopeScalingType::dynamic)
    json["max_position_embeddings"] = model.original_max_position_embeddings;
}

}  // namespace megascale::checkpoint::huggingface
