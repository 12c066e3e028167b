#ifndef MEGASCALE_CHECKPOINT_INSPECT_H_
#define MEGASCALE_CHECKPOINT_INSPECT_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "megascale/checkpoint/manifest.h"

// A summary of a checkpoint for people (`megascale checkpoint inspect`): run state, sizes, and the
// list of tensors. Manifest and headers are checked; weights are not read and their digests not
// compared (verify() does that).
namespace megascale::checkpoint {

struct TensorSummary {
  std::string name;
  DType dtype = DType::float32;
  Extents shape;
  std::size_t pieces = 0;  // number of pieces that hold it
};
struct Inspection {
  std::filesystem::path path;
  std::string generation;
  std::int64_t world_size = 1;  // ranks that wrote the checkpoint
  RunState state;
  std::size_t files = 0;               // number of shards
  std::uint64_t nbytes = 0;            // bytes of all files
  std::uint64_t parameters = 0;        // elements of all tensors except moments
  std::vector<TensorSummary> tensors;  // sorted by name
};
// Reads the summary of the checkpoint `path`. Throws Error as Opened does.
[[nodiscard]] Inspection inspect(const std::filesystem::path& path);
// Returns one JSON object on one line with the fields above. The fields of `state` stand at the top
// level; `config` is a string.
[[nodiscard]] std::string to_json(const Inspection& inspection);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_INSPECT_H_
