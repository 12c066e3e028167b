#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/safetensors.h"
#include "megascale/config/config.h"

// config.json of Hugging Face and our [model] section, both ways.
namespace megascale::checkpoint::huggingface {

// Throws one Error (unsupported) with a line per key of `model` that Hugging Face's GPT-2 or Llama
// cannot express: "expected model.parallel_block = false, found true". Needs a resolved
// configuration.
void check_exportable(const ModelConfig& model);

struct ModelJsonOptions {
  StoredType dtype = StoredType::float32;
  std::optional<std::int64_t> eos_token_id;  // absent: null
};
// The text of config.json for a model that check_exportable() accepts.
[[nodiscard]] std::string to_model_json(const ModelConfig& model, const ModelJsonOptions& options);

struct ParsedModelJson {
  ModelConfig model;  // resolved; seq_length = max_position_embeddings
  std::vector<std::string>
      notes;  // what config.json says and this program does otherwise (dropout)
};
// Reads config.json of model_type gpt2 or llama; `file` is for messages. Throws Error naming file
// and key: bad_input, or unsupported for what our model cannot express (rope_scaling, other
// activations, ...).
[[nodiscard]] ParsedModelJson parse_model_json(std::string_view text, const std::string& file);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_
