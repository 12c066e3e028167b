#ifndef MEGASCALE_CHECKPOINT_MANIFEST_H_
#define MEGASCALE_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/base/step_numbers.h"
#include "megascale/checkpoint/box.h"
#include "megascale/checkpoint/tokenizer_record.h"

// The manifest (manifest.json) of a checkpoint: the state of the run, and which bytes of which
// shard hold which part of which tensor. docs/formats/checkpoint.md describes the format. All types
// are values.
namespace megascale::checkpoint {

// A parameter NAME is stored as up to three logical tensors of one shape: NAME (the float32 master
// weights), NAME.first_moment and NAME.second_moment (the moments of Adam).
inline constexpr std::string_view kFirstMomentSuffix = ".first_moment";
inline constexpr std::string_view kSecondMomentSuffix = ".second_moment";

// Everything except tensors that a run needs to continue as if it had not stopped.
struct RunState {
  std::int64_t step = 0;              // steps done = number of the next step
  std::int64_t consumed_samples = 0;  // sequences, summed over all ranks
  // Rolling hash of the samples that the run has trained on (Dataset::hash_samples), as 16
  // hexadecimal digits. Empty if there was no training (an import).
  std::string sample_digest;
  // train.seed. Random numbers are functions of (seed, purpose, number), so no generator state is
  // saved.
  std::int64_t seed = 0;
  std::int64_t data_seed = 0;  // data.seed
  UpdateState update;          // Adam's step count t, and the number of skipped steps
  // The number of steps without an update since the last one with. Above 0: the checkpoint is not
  // healthy, since its weights gave a loss or gradient that is not finite.
  std::int64_t skipped_in_a_row = 0;
  std::string data_digest;  // digest of the training data (data/content_digest.h); may be empty
  std::string config;       // the resolved configuration as TOML
  // The form of the model directory that the weights were imported from, as text
  // (huggingface/origin.h). Empty if they were not imported.
  std::string origin;
  // Of a training on preferences: ReferenceScores::digest() (train/reference_scores.h); else empty.
  std::string reference_digest = {};
  // The tokenizer of the training data; absent if it is not known.
  std::optional<TokenizerRecord> tokenizer = {};
  [[nodiscard]] bool healthy() const noexcept { return skipped_in_a_row == 0; }
  // Returns the step of the last update. Its weights are those of this checkpoint.
  [[nodiscard]] std::int64_t last_update() const noexcept { return step - skipped_in_a_row; }
  friend bool operator==(const RunState& a, const RunState& b) noexcept {
    const auto all = [](const RunState& s) {
      return std::tie(s.step, s.consumed_samples, s.sample_digest, s.seed, s.data_seed,
                      s.update.updates, s.update.skipped, s.skipped_in_a_row, s.data_digest,
                      s.config, s.origin, s.reference_digest, s.tokenizer);
    };
    return all(a) == all(b);
  }
};

// A piece in a shard: a part of a logical tensor, and where its bytes are.
struct StoredPiece {
  std::string name;
  DType dtype = DType::float32;
  Extents global_shape;
  Box box;                           // the part of the logical tensor
  std::uint64_t begin = 0, end = 0;  // bytes, from the start of the shard's file
  std::string digest;                // XXH3-128 of these bytes
  bool operator==(const StoredPiece&) const = default;
};

// A shard of the checkpoint.
struct ShardFile {
  std::string file;          // name in the checkpoint's directory
  std::int64_t rank = 0;     // the rank that wrote it
  std::uint64_t nbytes = 0;  // size of the file
  // XXH3-128 of the bytes before the first piece. Together with the digests of the pieces it covers
  // every byte of the file.
  std::string header_digest;
  std::vector<StoredPiece> pieces;  // in the order of their bytes
  bool operator==(const ShardFile&) const = default;
};

// The attempt of a job that a driver watches (train/epoch_record.h).
struct AttemptMark {
  std::string record;      // the id of the job's record of epochs, 32 hexadecimal digits
  std::int64_t epoch = 1;  // of the attempt
  bool operator==(const AttemptMark&) const = default;
};

struct Manifest {
  static constexpr std::int64_t kVersion = 1;
  std::string generation;       // random; the same in all shards of one save and in no other save
  std::int64_t world_size = 1;  // ranks that wrote the checkpoint
  // The epoch of the run that owned the directory (train/directory_owner.h). Absent: the directory
  // had no owner, or version 0.1 wrote the checkpoint.
  std::optional<std::int64_t> epoch = {};
  std::optional<AttemptMark> attempt = {};  // absent: no driver watched the run
  RunState state;
  std::vector<ShardFile> shards;
  bool operator==(const Manifest&) const = default;
};

// Names a piece of a manifest: the index of the shard, and the index of the piece in it.
struct PieceRef {
  std::uint32_t shard = 0, piece = 0;
};
// A tensor of the whole model, and the pieces that hold its elements.
struct LogicalTensor {
  DType dtype = DType::float32;
  Extents shape;
  std::vector<PieceRef> pieces;
};
using LogicalTensors = std::map<std::string, LogicalTensor, std::less<>>;

// Collects the pieces of each tensor. Checks that pieces of one tensor agree on dtype and shape,
// and tile it without gap or overlap. Checks that the pieces of a shard lie in its file one
// directly after the other. `file` names the manifest in messages. Throws Error (corrupt_data).
[[nodiscard]] LogicalTensors collect_tensors(const Manifest& manifest, const std::string& file);

// Appends the digest of `body` (the text before it) and the closing brace, and returns the
// manifest's text.
[[nodiscard]] std::string with_digest(std::string body);
// Returns the text of manifest.json with its digest. Throws Error (failed) if a string is not
// UTF-8.
[[nodiscard]] std::string to_text(const Manifest& manifest);
// Parses the text of manifest.json and checks its digest. `file` is named in messages. Throws
// Error: corrupt_data, or unsupported if the format version is another one.
[[nodiscard]] Manifest parse_manifest(std::string_view text, const std::string& file);

// Text of the shards that a rank wrote, for sending it to the rank that commits; and the parser of
// that text. The parser checks each entry as parse_manifest() does; the text has no digest.
// `source` is named in messages.
[[nodiscard]] std::string to_text(const std::vector<ShardFile>& shards);
[[nodiscard]] std::vector<ShardFile> parse_shards(std::string_view text, const std::string& source);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_MANIFEST_H_
