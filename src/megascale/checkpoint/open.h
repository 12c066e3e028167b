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

// Finding, checking and reading checkpoints. Reads only: no function here changes the disk.
namespace megascale::checkpoint {

struct Entry {
  std::int64_t step = 0;
  std::filesystem::path path;
};
// What a directory of checkpoints holds, by name only.
struct Listing {
  std::vector<Entry> checkpoints;  // committed ("step-00000200"), newest first; not yet checked
  std::vector<std::filesystem::path>
      leftovers;  // of saves and removals that did not finish (".partial-...", ".removed-...")
};
// An absent directory lists as empty. Throws Error (io).
[[nodiscard]] Listing list(const std::filesystem::path& directory);

enum class Check : std::uint8_t {
  everything,  // manifest, headers, and the digest of every piece: reads the whole checkpoint once
  on_read,  // manifest and headers; a piece's digest when read() first touches it. For ranks that
            // read a part each
};

// A checkpoint that is open for reading. Movable. Several threads may call the const functions.
// Files are opened as needed, one at a time; memory is the manifest and a block of 1 MiB per
// reading thread, whatever the size of the model.
class Opened {
 public:
  // Throws Error naming the file: corrupt_data, io (missing, unreadable), unsupported (another
  // version).
  explicit Opened(std::filesystem::path checkpoint, Check check = Check::everything);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] const RunState& state() const noexcept { return manifest_.state; }
  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }
  // By name: weights "NAME", moments "NAME.first_moment" and "NAME.second_moment".
  [[nodiscard]] const LogicalTensors& tensors() const noexcept { return tensors_; }
  // Throws Error (bad_input) that names the nearest tensor when there is none of this name.
  [[nodiscard]] const LogicalTensor& tensor(std::string_view name) const;

  // Copies the box (offset, shape) of a logical tensor to `out`, row-major, in the tensor's dtype,
  // from whatever pieces hold it. Throws Error: no such tensor, a box outside it or `out` of
  // another size (bad_input); bytes that differ from their digest (corrupt_data). After an Error
  // the content of `out` is unspecified.
  void read(std::string_view name, std::span<const std::int64_t> offset,
            std::span<const std::int64_t> shape, std::span<std::byte> out) const;
  // The whole tensor.
  void read(std::string_view name, std::span<std::byte> out) const;

 private:
  [[nodiscard]] std::atomic<bool>& verified(PieceRef ref) const noexcept;

  std::filesystem::path path_;
  Manifest manifest_;
  LogicalTensors tensors_;
  std::vector<std::size_t> first_piece_;  // number of the first piece of each shard
  std::unique_ptr<std::atomic<bool>[]>
      verified_;  // by piece: its digest was right when it was last looked at
};

using OnProblem = std::function<void(const Error&)>;  // once per checkpoint that was passed over

// The newest good checkpoint: tries the newest first and, where it is damaged or unreadable,
// reports why and tries the one before. Empty when the directory holds none at all (a fresh start).
// Throws Error when it holds some and none is good, with every reason; and when one is from another
// version of the format, which is no damage to fall back from.
[[nodiscard]] std::optional<Opened> open_newest(const std::filesystem::path& directory,
                                                const OnProblem& on_problem = {},
                                                Check check = Check::everything);

struct Verdict {
  std::filesystem::path path;
  std::int64_t step = 0;     // of the directory's name where the manifest cannot be read
  std::uint64_t nbytes = 0;  // on disk
  std::optional<Error> error;
};
struct Verification {
  std::vector<Verdict> checkpoints;  // newest first
  std::vector<std::filesystem::path> leftovers;
  [[nodiscard]] bool good() const noexcept;  // at least one checkpoint, and all are good
};
// Reads everything of one checkpoint or of all in a directory. Throws Error (bad_input) when `path`
// is neither.
[[nodiscard]] Verification verify(const std::filesystem::path& path);

// One checkpoint: `path` itself, or the newest good one where `path` is a directory of checkpoints.
// For --checkpoint DIR.
[[nodiscard]] Opened open_path(const std::filesystem::path& path, const OnProblem& on_problem = {},
                               Check check = Check::everything);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_OPEN_H_
