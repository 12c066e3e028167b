// Translates the keys of config.json of families in which layers with a sliding window and layers without
// one follow one another in a pattern: Gemma 2 and 3, OLMo 3. Their rotary positions may differ, too.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/derived.h"

namespace megascale::checkpoint::huggingface {
namespace {

const char* type_of_layer(const ModelConfig& model, std::int64_t layer) {
  return window_of_layer(model, layer) == 0 ? "full_attention" : "sliding_attention";
}

}  // namespace

void read_window_pattern(const JsonReader& json, ModelConfig& model) {
  model.sliding_window = json.integer("sliding_window", 4096);
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

void write_window_pattern(const ModelConfig& model, nlohmann::ordered_json& json) {
  json["sliding_window"] = model.sliding_window;
  json["layer_types"] = nlohmann::json::array();
  for (std::int64_t i = 0; i < model.num_layers; ++i)
    json["layer_types"].push_back(type_of_layer(model, i));
}

void read_rope_of_kinds(const JsonReader& json, ModelConfig& model) {
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

}  // namespace megascale::checkpoint::huggingface
