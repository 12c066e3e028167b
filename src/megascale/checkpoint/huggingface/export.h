#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_EXPORT_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_EXPORT_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/safetensors.h"

// Writing the weights of a checkpoint as a Hugging Face model: config.json and model.safetensors,
// or with more than one file model-0000k-of-0000n.safetensors and model.safetensors.index.json. No
// tokenizer and no optimizer state.
namespace megascale::checkpoint::huggingface {

struct ExportOptions {
  StoredType dtype = StoredType::float32;  // or bfloat16: rounded to nearest, ties to even
  std::uint64_t file_nbytes_max =
      5'000'000'000;  // as transformers'; a larger tensor gets a file of its own
  std::optional<std::int64_t> eos_token_id;  // for config.json; absent: null
};
struct ExportReport {
  std::vector<std::string> files;
  std::uint64_t nbytes = 0;  // of the tensors
};
// Writes the directory `output`, which must not exist or be empty; it appears as a whole, or not at
// all. The model is that of the checkpoint's own configuration. Memory: twice the largest tensor.
// Throws Error: the model is one that Hugging Face cannot express (unsupported, names the keys), a
// tensor is missing or of another shape (bad_input), corrupt_data, io.
ExportReport export_model(const Opened& checkpoint, const std::filesystem::path& output,
                          const ExportOptions& options = {});

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_EXPORT_H_
