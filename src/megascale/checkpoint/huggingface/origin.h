#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_ORIGIN_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_ORIGIN_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/huggingface/tensor_map.h"
#include "megascale/checkpoint/safetensors.h"

// The form of an imported model directory: everything in it but the values of the weights. A
// checkpoint keeps it, so that an export can give back the files as they were: the same keys of
// config.json, and the same tensors in the same order, types and files. All functions may be called
// from any thread.
namespace megascale::checkpoint::huggingface {

struct Origin {
  struct Weights {
    std::string header;        // the JSON text, with its padding
    std::uint64_t nbytes = 0;  // of the file
  };
  std::map<std::string, std::string> texts;  // small files by name, config.json among them
  std::map<std::string, Weights> weights;    // safetensors files by name
  // Values of tensors that hold no weights (is_buffer), by name, as text (runs.h). Such a tensor is
  // absent if its values have no text.
  std::map<std::string, std::string> buffers;
};

// Returns the form of a directory of a model of this type whose weights are `files`, by name. The small texts that an
// export gives back are read: config.json, generation_config.json, the index of the weights.
[[nodiscard]] Origin read_origin(const std::filesystem::path& directory, ModelType type,
                                 const std::map<std::string, const SafetensorsFile*>& files);

// Removes tensors from the weights, and from the index, as if the files never had them. `names` are
// those of the files.
void leave_out(Origin& origin, const std::set<std::string>& names);

// Text of an Origin for a manifest, and its parser. `source` is named in messages. Throws Error
// (corrupt_data).
[[nodiscard]] std::string to_text(const Origin& origin);
[[nodiscard]] Origin parse_origin(std::string_view text, const std::string& source);

// One weights file of an export.
struct FilePlan {
  struct Part {
    const TensorMapping* mapping = nullptr;
    StoredType type = StoredType::float32;
    std::string buffer;  // its name if `mapping` is null: the values are in Origin::buffers
    std::uint64_t nbytes = 0;
  };
  std::string name;
  std::string header;       // the first bytes of the file: length and JSON text
  std::vector<Part> parts;  // in the order of their bytes behind the header
};
// Returns the files of `origin` with the tensors of `map`, which must outlive them. Returns nothing
// if the files cannot be made again: they hold tensors that are neither weights nor in
// Origin::buffers, types that are not written, or not just the tensors of `map`. `tied`: lm_head.weight is a copy of the embedding.
[[nodiscard]] std::optional<std::vector<FilePlan>> plan_as_origin(
    const Origin& origin, std::span<const TensorMapping> map, ModelType type, bool tied);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_ORIGIN_H_
