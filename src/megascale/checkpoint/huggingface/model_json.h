#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/huggingface/block_scales.h"
#include "megascale/checkpoint/safetensors.h"
#include "megascale/config/config.h"

// Translates between config.json of Hugging Face and our [model] section, in both directions. All
// functions may be called from any thread.
namespace megascale::checkpoint::huggingface {

// Checks that the family model.type of Hugging Face can express `model`, which must be resolved.
// Otherwise throws one Error (unsupported) with a line per key, for instance "expected
// model.parallel_block = false, found true".
void check_exportable(const ModelConfig& model);

struct ModelJsonOptions {
  std::optional<StoredType> dtype;  // float32 or bfloat16; absent: as in `original`, or float32
  std::optional<std::int64_t> eos_token_id;  // bos_token_id and eos_token_id; null if absent
};
// Returns the text of config.json. check_exportable() must accept the model.
[[nodiscard]] std::string to_model_json(const ModelConfig& model, const ModelJsonOptions& options);

// Returns `original`, the text of a config.json, with the values of `model`. Keys that do not
// describe the model are kept, but for quantization_config: weights in 8 bits are never written. If
// `original` has none and already describes the model, the text is returned unchanged.
[[nodiscard]] std::string update_model_json(const std::string& original, const ModelConfig& model,
                                            const ModelJsonOptions& options);

// The longest sequence length of an imported model, in tokens. A model's longest context would need
// more memory for one sequence than most machines have: 67 GB for the logits of Llama 3.1.
inline constexpr std::int64_t kImportedSequenceMax = 4096;

struct ParsedModelJson {
  // Resolved. seq_length is max_position_embeddings, but at most kImportedSequenceMax.
  ModelConfig model;
  // Settings of config.json that this program does not follow (dropout rates), one text each.
  std::vector<std::string> notes;
  // The layers behind the last one of the model that its files may hold and an import leaves out.
  std::int64_t prediction_layers = 0;
  // The blocks of weights in 8 bits that have a scale of their own; absent if config.json has none.
  std::optional<ScaleBlocks> scale_blocks;
};
// Parses config.json of one of the families of family.h. `file` is named in messages. Throws Error
// naming file and key: bad_input, or unsupported if our models cannot express a setting (unknown
// rope types, other activations, other quantised weights, ...).
[[nodiscard]] ParsedModelJson parse_model_json(std::string_view text, const std::string& file);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_MODEL_JSON_H_
