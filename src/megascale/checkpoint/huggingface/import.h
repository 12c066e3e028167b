#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_IMPORT_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_IMPORT_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "megascale/checkpoint/huggingface/origin.h"
#include "megascale/checkpoint/save.h"
#include "megascale/config/config.h"

// Imports a Hugging Face model directory as a checkpoint at step 0. The directory holds
// config.json, and model.safetensors or the files that model.safetensors.index.json names.
namespace megascale::checkpoint::huggingface {

// A model that is opened for import.
struct Imported {
  // [model] comes from config.json; all other sections have their defaults. data.tokenizer is the
  // file tokenizer.json, or "byte" if there is none and the vocabulary has 256 entries.
  Config config;
  // The tokenizer with its files, which the caller opens: this module cannot. Absent: the checkpoint
  // names none.
  std::optional<TokenizerRecord> tokenizer = {};
  // Settings of config.json that this program does not follow, for instance dropout rates, and how
  // many weights are in 8 bits if config.json says so.
  std::vector<std::string> notes;
  // The weights as float32 parts of our logical tensors. Their bytes are read and converted only
  // when a save calls `fill`. The model files stay mapped as long as any piece lives.
  std::vector<Piece> weights;
  // The form of the directory, which the checkpoint keeps.
  Origin origin;
};
// Opens a model directory and checks names, shapes and dtypes of all tensors. Buffers such as
// causal masks are skipped. If the head is tied, an lm_head.weight in the files must equal the
// embedding. Matrices may be in 8 bits with scales (block_scales.h). Throws Error naming the file,
// tensor or key: bad_input (a tensor is missing, unknown, or of another shape or dtype), unsupported,
// corrupt_data.
[[nodiscard]] Imported open_model(const std::filesystem::path& directory);

// Saves an imported model to `checkpoints` at step 0; the moments are 0. Memory: about twice the
// largest tensor. Throws Error as save() does; bad_input, naming the tensor, if a weight or a scale
// is not finite, or a scale not above 0.
SaveReport save_imported(const Imported& imported, const std::filesystem::path& checkpoints,
                         const SaveOptions& options = {});

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_IMPORT_H_
