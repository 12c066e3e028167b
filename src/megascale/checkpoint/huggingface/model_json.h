#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/safetensors.h"
#include "megascale/config/config.h"

// Translates between config.json of Hugging Face and our [model] section, in both directions. All
// functions may be called from any thread.
namespace megascale::checkpoint::huggingface {

// Checks that Hugging Face's GPT-2 or Llama can express `model`, which must be resolved. Otherwise
// throws one Error (unsupported) with a line per key, for instance "expected model.parallel_block =
// false, found true".
void check_exportable(const ModelConfig& model);

struct ModelJsonOptions {
  StoredType dtype = StoredType::float32;
  std::optional<std::int64_t> eos_token_id;  // bos_token_id and eos_token_id; null if absent
};
// Returns the text of config.json. check_exportable() must accept the model.
[[nodiscard]] std::string to_model_json(const ModelConfig& model, const ModelJsonOptions& options);

struct ParsedModelJson {
  ModelConfig model;  // resolved; seq_length = max_position_embeddings
  // Settings of config.json that this program does not follow (dropout rates), one text each.
  std::vector<std::string> notes;
};
// Parses config.json of model_type "gpt2" or "llama". `file` is named in messages. Throws Error
// naming file and key: bad_input, or unsupported if our models cannot express a setting
// (rope_scaling, other activations, ...).
[[nodiscard]] ParsedModelJson parse_model_json(std::string_view text, const std::string& file);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_
