#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_EXPORT_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_EXPORT_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/safetensors.h"

// Exports the weights of a checkpoint as a Hugging Face model directory: config.json and
// model.safetensors. If the weights need more than one file, these are
// model-0000k-of-0000n.safetensors and model.safetensors.index.json. If the weights were imported,
// the export has the form of the imported directory: the same files with the same tensors in the
// same types, and all keys of its config.json. Without training in between, every file has the same
// bytes. The files of the checkpoint's tokenizer are copied. Adapters are merged: a weight W of a layer with
// an adapter is written as W + alpha / rank B A. Optimizer state is not exported.
namespace megascale::checkpoint::huggingface {

struct ExportOptions {
  // float32, or bfloat16 (rounded to nearest, ties to even). Absent: the types of the imported
  // model, or float32.
  std::optional<StoredType> dtype;
  // Largest size of a file in bytes; the default is that of transformers. A larger tensor gets a
  // file of its own.
  std::uint64_t file_nbytes_max = 5'000'000'000;
  // bos_token_id and eos_token_id of config.json; null if absent.
  std::optional<std::int64_t> eos_token_id;
  std::string
      eos_token;  // of tokenizer_config.json, if the checkpoint has none; empty if not known
};
struct ExportReport {
  std::vector<std::string> files;  // names in the output directory
  std::uint64_t nbytes = 0;        // bytes of the tensors
};
// Writes the model directory `output`, which must not exist or be empty. It appears complete, by
// one rename, or not at all. The model is described by the configuration that the checkpoint holds.
// Memory: about twice the largest tensor. Throws Error: unsupported if Hugging Face cannot express
// the model (names the keys), bad_input if a tensor is missing or has another shape or dtype,
// corrupt_data, io.
ExportReport export_model(const Opened& checkpoint, const std::filesystem::path& output,
                          const ExportOptions& options = {});

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_EXPORT_H_
