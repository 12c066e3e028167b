#ifndef MEGASCALE_CHECKPOINT_OPEN_H_
#define MEGASCALE_CHECKPOINT_OPEN_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/checkpoint/manifest.h"

// Finds, checks and reads checkpoints. No function here changes the disk.
namespace megascale::checkpoint {

// A checkpoint that was found by the name of its directory.
struct Entry {
  std::int64_t step = 0;
  std::filesystem::path path;
};
// The content of a directory of checkpoints, judged by names only.
struct Listing {
  // Committed checkpoints ("step-00000200"), newest first. Their content is not checked.
  std::vector<Entry> checkpoints;
  // Directories of saves and removals that did not finish (is_leftover_name).
  std::vector<std::filesystem::path> leftovers;
  // Checkpoints that a resume has set aside (is_aside_name). No resume looks at them.
  std::vector<std::filesystem::path> aside;
};
// Lists `directory`. A directory that does not exist gives an empty list. Throws Error (io).
[[nodiscard]] Listing list(const std::filesystem::path& directory);

// Which digests are compared when a checkpoint is opened.
enum class Check : std::uint8_t {
  // Manifest, headers, and the digest of every piece. This reads the whole checkpoint once.
  everything,
  // Manifest and headers. The digest of a piece is compared when read() first reads from it. Meant
  // for ranks that each read a part of the checkpoint.
  on_read,
  // As on_read, but shards and files of the tokenizer may be missing: those of a copy in the memory of
  // several hosts. Reading from a missing shard is an Error.
  present,
  // The manifest alone. Meant for ranks that load a checkpoint together (train/shared_load.h), after
  // one of them has checked it with on_read.
  manifest,
};

// A checkpoint that is open for reading. It can be moved. Several threads may call the const
// functions at the same time. Files are opened when they are needed, one at a time. Memory use does
// not grow with the model: the manifest, and a block of 1 MiB per reading thread.
class Opened {
 public:
  // Opens and checks a checkpoint. Throws Error naming the file: corrupt_data, io (a file is
  // missing or unreadable), or unsupported (another format version).
  explicit Opened(std::filesystem::path checkpoint, Check check = Check::everything);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const RunState& state() const noexcept { return manifest_.state; }
  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }
  // All logical tensors by name: weights NAME, moments NAME.first_moment and NAME.second_moment.
  [[nodiscard]] const LogicalTensors& tensors() const noexcept { return tensors_; }
  // Returns the tensor of this name. If there is none, throws Error (bad_input) that suggests the
  // nearest name.
  [[nodiscard]] const LogicalTensor& tensor(std::string_view name) const;

  // Copies a box (offset, shape) of a logical tensor to `out`: row-major, in the tensor's dtype,
  // gathered from all pieces that hold a part of it. Throws Error: bad_input if the tensor does not
  // exist, the box is not inside it, or `out` has another size; corrupt_data if bytes differ from
  // their digest. After an Error the content of `out` is unspecified.
  void read(std::string_view name, std::span<const std::int64_t> offset,
            std::span<const std::int64_t> shape, std::span<std::byte> out) const;
  // Reads the whole tensor.
  void read(std::string_view name, std::span<std::byte> out) const;

 private:
  [[nodiscard]] std::atomic<bool>& verified(PieceRef ref) const noexcept;

  std::filesystem::path path_;
  Manifest manifest_;
  LogicalTensors tensors_;
  // For each shard, the number of its first piece. Pieces are counted over all shards.
  std::vector<std::size_t> first_piece_;
  // For each piece: whether its digest was right at the last comparison.
  std::unique_ptr<std::atomic<bool>[]> verified_;
};

// Compares the digests of the tokenizer's files in a checkpoint; Check::everything does that too.
// Throws Error (corrupt_data, io).
void check_tokenizer(const Opened& opened);

// Called once for each checkpoint that is skipped because it is damaged or unreadable.
using OnProblem = std::function<void(const Error&)>;
// Throws Error if a checkpoint that is intact must not be used all the same.
using Accept = std::function<void(const Manifest&, const std::filesystem::path&)>;

// Opens the newest good checkpoint of `directory`. If one is damaged, unreadable or not accepted,
// reports that to `on_problem` and tries the next older one. Returns nothing if the directory holds no checkpoint
// (a fresh start). If it holds some and none is good, throws Error with the reason for each. Throws
// Error (unsupported) at a checkpoint of another format version: it is not damaged, so an older one
// must not silently take its place.
[[nodiscard]] std::optional<Opened> open_newest(const std::filesystem::path& directory,
                                                const OnProblem& on_problem = {},
                                                Check check = Check::everything,
                                                const Accept& accept = {});

// Returns the newest good checkpoint of `directory` that is healthy (RunState::healthy) and of a step
// before `before`. The data of the pieces is not read. Throws Error (io) if the directory cannot be
// listed.
[[nodiscard]] std::optional<std::filesystem::path> newest_healthy(
    const std::filesystem::path& directory, std::int64_t before);

// The result for one checkpoint.
struct Verdict {
  std::filesystem::path path;
  // From the manifest, or from the directory's name if the manifest cannot be read.
  std::int64_t step = 0;
  std::uint64_t nbytes = 0;           // of all its files
  std::int64_t skipped_in_a_row = 0;  // RunState; above 0: not healthy
  std::optional<Error> error;         // empty if the checkpoint is good
};
struct Verification {
  std::vector<Verdict> checkpoints;                     // newest first
  std::vector<std::filesystem::path> leftovers, aside;  // as in Listing
  // Returns whether there is at least one checkpoint and all are good.
  [[nodiscard]] bool good() const noexcept;
};
// Reads and checks every byte of one checkpoint, or of all checkpoints in a directory. Throws Error
// (bad_input) if `path` is neither.
[[nodiscard]] Verification verify(const std::filesystem::path& path);

// Opens `path` if it is a checkpoint, and otherwise the newest good checkpoint in it. Serves the
// option --checkpoint DIR. Throws Error (bad_input) if `path` is neither a checkpoint nor a
// directory that holds one; also the errors of Opened, open_newest() and `accept`.
[[nodiscard]] Opened open_path(const std::filesystem::path& path, const OnProblem& on_problem = {},
                               Check check = Check::everything, const Accept& accept = {});

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_OPEN_H_
