#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_ADAPTER_FILES_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_ADAPTER_FILES_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "megascale/checkpoint/huggingface/export.h"
#include "megascale/checkpoint/huggingface/import.h"

// Adapters as the library PEFT keeps them: a directory with adapter_config.json and
// adapter_model.safetensors, in which the adapter of each of their linear layers has the tensors
// "base_model.model.MODULE.lora_A.weight" [rank, inputs] and "... .lora_B.weight" [outputs, rank]. Each
// expert's linear layers are modules of their own.
namespace megascale::checkpoint::huggingface {

// The settings in adapter_config.json. They hold for all adapters of the file.
struct AdapterSettings {
  std::int64_t rank = 0;
  double alpha = 0;  // above 0 and finite
};
// `name` is named in messages. Throws Error naming the key: bad_input, unsupported (another kind of adapter),
// corrupt_data.
[[nodiscard]] AdapterSettings parse_adapter_settings(std::string_view text,
                                                     const std::string& name);

// Writes the adapters of a checkpoint, in float32, to the directory `output`, which must not exist or be
// empty. It appears complete or not at all. Throws Error: bad_input if the checkpoint has no adapters, and
// the errors of export_model().
ExportReport export_adapters(const Opened& checkpoint, const std::filesystem::path& output);

// Adds the adapters of a directory to a model that is opened for import, and sets [lora] of its
// configuration. Where a layer of ours is several of theirs whose A differ, or of which some have no
// adapter, ours has the A of all of them, one below the other, and B with zeros elsewhere. The rank is the
// largest that a layer then needs; alpha grows with it, so that the function stays the same. Throws Error
// naming the file and the tensor or key: bad_input (the adapters are of another model, or incomplete),
// unsupported (another kind of adapter), corrupt_data.
void add_adapters(Imported& imported, const std::filesystem::path& directory);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_ADAPTER_FILES_H_
