#ifndef MEGASCALE_CHECKPOINT_MANIFEST_H_
#define MEGASCALE_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/base/step_numbers.h"
#include "megascale/checkpoint/box.h"

// What a checkpoint holds: manifest.json. docs/formats/checkpoint.md gives the bytes. All types are
// values.
namespace megascale::checkpoint {

// A parameter "NAME" is stored as up to three logical tensors: NAME itself (float32 masters), and
// Adam's moments.
inline constexpr std::string_view kFirstMomentSuffix = ".first_moment";
inline constexpr std::string_view kSecondMomentSuffix = ".second_moment";

// Everything beside tensors that a run needs to go on as if it had not stopped.
struct RunState {
  std::int64_t step = 0;              // steps done = number of the step that comes next
  std::int64_t consumed_samples = 0;  // sequences, over all ranks
  std::string sample_digest;  // of the corpus and sample order, as the data module computes it; may
                              // be empty
  std::int64_t seed =
      0;  // train.seed. Random numbers are functions of (seed, purpose, number): no other state
  std::int64_t data_seed = 0;  // data.seed
  UpdateState update;          // Adam's t and the skipped steps
  std::string config;          // the resolved configuration, TOML
  friend bool operator==(const RunState& a, const RunState& b) noexcept {
    const auto all = [](const RunState& s) {
      return std::tie(s.step, s.consumed_samples, s.sample_digest, s.seed, s.data_seed,
                      s.update.updates, s.update.skipped, s.config);
    };
    return all(a) == all(b);
  }
};

struct StoredPiece {
  std::string name;
  DType dtype = DType::float32;
  Extents global_shape;
  Box box;                           // which part of the logical tensor
  std::uint64_t begin = 0, end = 0;  // bytes from the start of the shard's file
  std::string digest;                // XXH3-128 of those bytes
  bool operator==(const StoredPiece&) const = default;
};

struct ShardFile {
  std::string file;  // its name in the checkpoint's directory
  std::int64_t rank = 0;
  std::uint64_t nbytes = 0;
  std::string header_digest;  // of the bytes before the first piece; with the pieces' digests every
                              // byte is covered
  std::vector<StoredPiece> pieces;
  bool operator==(const ShardFile&) const = default;
};

struct Manifest {
  static constexpr std::int64_t kVersion = 1;
  std::string generation;  // random; the same in every shard of this save and in no other
  std::int64_t world_size = 1;
  RunState state;
  std::vector<ShardFile> shards;
  bool operator==(const Manifest&) const = default;
};

// A logical tensor and where its pieces are.
struct PieceRef {
  std::uint32_t shard = 0, piece = 0;
};
struct LogicalTensor {
  DType dtype = DType::float32;
  Extents shape;
  std::vector<PieceRef> pieces;
};
using LogicalTensors = std::map<std::string, LogicalTensor, std::less<>>;

// Collects the pieces of each tensor and checks that they agree on dtype and shape and tile it
// without gap or overlap, and that the byte ranges of a shard follow each other inside its file.
// Throws Error (corrupt_data) that names `file`.
[[nodiscard]] LogicalTensors collect_tensors(const Manifest& manifest, const std::string& file);

// A manifest's text from all that stands before its digest.
[[nodiscard]] std::string with_digest(std::string body);
// The text of manifest.json, its digest included. Throws Error (failed) where a string is not
// UTF-8.
[[nodiscard]] std::string to_text(const Manifest& manifest);
// Reads it and checks its digest. Throws Error naming `file`: corrupt_data, or unsupported for
// another version.
[[nodiscard]] Manifest parse_manifest(std::string_view text, const std::string& file);

// The shards that a rank wrote, for the rank that commits, and back (the same checks as above).
[[nodiscard]] std::string to_text(const std::vector<ShardFile>& shards);
[[nodiscard]] std::vector<ShardFile> parse_shards(std::string_view text, const std::string& source);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_MANIFEST_H_
