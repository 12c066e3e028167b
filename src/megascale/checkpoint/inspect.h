#ifndef MEGASCALE_CHECKPOINT_INSPECT_H_
#define MEGASCALE_CHECKPOINT_INSPECT_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "megascale/checkpoint/manifest.h"

// What a checkpoint says about itself, for people: no weights are read, no digest of a piece is
// checked (verify() does that).
namespace megascale::checkpoint {

struct TensorSummary {
  std::string name;
  DType dtype = DType::float32;
  Extents shape;
  std::size_t pieces = 0;
};
struct Inspection {
  std::filesystem::path path;
  std::string generation;
  std::int64_t world_size = 1;  // ranks that wrote it
  RunState state;
  std::size_t files = 0;               // shards
  std::uint64_t nbytes = 0;            // of all files
  std::uint64_t parameters = 0;        // elements of all tensors that are no moments
  std::vector<TensorSummary> tensors;  // by name
};
// `path`: a checkpoint. Throws Error as Opened does.
[[nodiscard]] Inspection inspect(const std::filesystem::path& path);
// One JSON object on one line, with the fields above; state.config as a string.
[[nodiscard]] std::string to_json(const Inspection& inspection);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_INSPECT_H_
