#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_IMPORT_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_IMPORT_H_

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "megascale/checkpoint/save.h"
#include "megascale/config/config.h"

// Reading a Hugging Face model directory (config.json, and model.safetensors or the files of
// model.safetensors.index.json) as a checkpoint at step 0.
namespace megascale::checkpoint::huggingface {

struct Imported {
  // [model] from config.json, all else default. data.tokenizer is "byte" for a vocabulary of 256
  // without a tokenizer.json, and otherwise that file.
  Config config;
  std::vector<std::string> notes;
  // The weights as float32 parts of our logical tensors, made when they are written: the mapped
  // files live as long as any piece. No bytes are read before.
  std::vector<Piece> weights;
};
// Throws Error naming file, tensor or key: bad_input (missing, unknown, of another shape or dtype),
// unsupported, corrupt_data. Buffers are skipped; a tied lm_head.weight that is there must equal
// the embedding.
[[nodiscard]] Imported open_model(const std::filesystem::path& directory);

// Saves an imported model to `checkpoints` at step 0, with moments of zero. Memory: the largest
// tensor.
SaveReport save_imported(const Imported& imported, const std::filesystem::path& checkpoints,
                         const SaveOptions& options = {});

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_IMPORT_H_
