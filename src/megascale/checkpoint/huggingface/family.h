#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_FAMILY_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_FAMILY_H_

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/huggingface/json_reader.h"
#include "megascale/config/config.h"

// The families of models that are imported and exported, and how config.json states the model of a
// family. Internal to this folder; model_json.h is the interface.
namespace megascale::checkpoint::huggingface {

// The family whose keys describe the experts of a family.
enum class ExpertKeys : std::uint8_t { none, mixtral, olmoe, qwen, deepseek };

struct Family {
  ModelType type = ModelType::gpt2;
  std::string_view name;          // model_type in config.json
  std::string_view architecture;  // architectures in config.json
  std::string_view title;         // for messages
  ExpertKeys experts = ExpertKeys::none;
};
[[nodiscard]] const Family& family_of(ModelType type) noexcept;
[[nodiscard]] bool is_one_of(ModelType type, std::initializer_list<ModelType> types) noexcept;
// Returns null if no family has this model_type.
[[nodiscard]] const Family* find_family(std::string_view name) noexcept;
// Returns the names of all families, for messages: "gpt2", "llama", ... or "qwen3".
[[nodiscard]] std::string family_names();

// Return the model that config.json describes. Zeros are not resolved, and ranges are not checked.
// `notes` receives the settings that are passed over. Throw Error naming file and key.
[[nodiscard]] ModelConfig parse_gpt2(const JsonReader& json, std::vector<std::string>& notes);
[[nodiscard]] ModelConfig parse_llama(const JsonReader& json, ModelType type,
                                      std::vector<std::string>& notes);
[[nodiscard]] ModelConfig parse_gpt_neox(const JsonReader& json, std::vector<std::string>& notes);
[[nodiscard]] ModelConfig parse_gemma(const JsonReader& json, ModelType type,
                                      std::vector<std::string>& notes);

// Notes the keys whose dropout rate, `absent` where the key is, is not 0. A training has its own rates.
void pass_over_dropout(const JsonReader& json, std::initializer_list<const char*> keys,
                       double absent, std::vector<std::string>& notes);

// Set the keys of rotary positions from the top level of config.json, and from rope_scaling or, since
// transformers 5, rope_parameters; and append them (rope_json.cpp). max_position_embeddings and the
// default of rotary_base must be set before.
void read_rope(const JsonReader& json, ModelConfig& model);
// Does so with one object of such keys.
void read_rope_object(const JsonReader& json, ModelConfig& model);
void write_rope(const ModelConfig& model, nlohmann::ordered_json& json);
// Does as read_rope(), where layers with a window may have frequencies of their own: since transformers 5,
// rope_parameters may hold an object for each kind of layer (layer_pattern.cpp).
void read_rope_of_kinds(const JsonReader& json, ModelConfig& model);
// Set the window and which layers have it, if these are in a pattern whose default is set; and append them.
void read_window_pattern(const JsonReader& json, ModelConfig& model);
void write_window_pattern(const ModelConfig& model, nlohmann::ordered_json& json);
// Returns max_position_embeddings over original_max_position_embeddings, at least 1: Phi-3's factor of
// LongRoPE.
[[nodiscard]] double context_growth(const ModelConfig& model);

// Set the sizes of latent attention, and append them (latent_json.cpp). num_attention_heads must be
// set before.
void read_latent_attention(const JsonReader& json, ModelConfig& model);
void write_latent_attention(const ModelConfig& model, nlohmann::ordered_json& json);

// Returns the form of the experts of `model` that its family can express: none, if it has none.
[[nodiscard]] MoeConfig expressible_experts(const ModelConfig& model);
// Copies the keys that change training and not the model: config.json has none like them.
void copy_training_keys(const MoeConfig& from, MoeConfig& to);
// Set the experts of a model of a family with experts, and append their keys (expert_json.cpp).
void parse_experts(const JsonReader& json, ModelConfig& model);
void write_experts(const ModelConfig& model, nlohmann::ordered_json& json);

// Appends the sizes, the epsilon of the norms and the keys of rotary positions, as Llama and Gemma
// name them.
void write_rms_norm_decoder(const ModelConfig& model, nlohmann::ordered_json& json);
// Append the keys of the family that describe the model.
void write_gpt2(const ModelConfig& model, nlohmann::ordered_json& json);
void write_llama(const ModelConfig& model, nlohmann::ordered_json& json);
void write_gpt_neox(const ModelConfig& model, nlohmann::ordered_json& json);
void write_gemma(const ModelConfig& model, nlohmann::ordered_json& json);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_FAMILY_H_
