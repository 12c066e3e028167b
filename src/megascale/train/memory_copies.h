#ifndef MEGASCALE_TRAIN_MEMORY_COPIES_H_
#define MEGASCALE_TRAIN_MEMORY_COPIES_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "megascale/engine/engine.h"
#include "megascale/train/checkpoint_writer.h"
#include "megascale/train/trainer.h"

namespace megascale::train {

// Returns the directory below `root` for the copies of the run that owns a run directory.
// `identity` is DirectoryOwner::identity().
[[nodiscard]] std::filesystem::path memory_directory(const std::filesystem::path& root,
                                                     std::string_view identity);

// Opens the newest good copy in `directory`, reading and checking every byte. Returns nothing if
// there is none; reports each that is damaged, and a directory of another user, to `on_message`.
[[nodiscard]] std::optional<checkpoint::Opened> open_newest_copy(
    const std::filesystem::path& directory,
    const std::function<void(const std::string&)>& on_message);

// Removes the directory with all copies in it, unless it belongs to another user. A failure is only
// reported.
void remove_copies(const std::filesystem::path& directory,
                   const std::function<void(const std::string&)>& on_message);

// Copies of the state in the shared memory of the host, which outlive the processes of the run, even
// a kill -9. A copy is a checkpoint as on the disk, and is written in the same two stages: so a
// copy that is not whole or whose bytes have changed is noticed, and one can be read by any layout
// of ranks on this host. The newest one is kept; a new one replaces it when it is whole.
//
// Only for ranks that share their host's memory. Otherwise, and if the memory cannot be used, rank 0
// says so once, and no copies are made. A copy that fails costs nothing but itself.
class MemoryCopies {
 public:
  struct Parts {
    const Config* config = nullptr;
    const engine::Engine* engine = nullptr;
    comm::Coordination* copies = nullptr;         // used by nobody else
    std::filesystem::path directory;              // memory_directory(); needed on rank 0 only
    std::filesystem::path resumed;                // the copy that the run goes on from; else empty
    std::function<std::int64_t()> require_owner;  // JointSave::require_owner
    std::function<void(const std::string& message)> say;  // does nothing on ranks other than 0
  };
  // All ranks make one, after they have loaded their state: all copies but `resumed` are removed.
  // Throws Error if ranks are lost, or memory for the snapshot.
  explicit MemoryCopies(Parts parts);

  // This rank's vote of the step that begins now.
  [[nodiscard]] bool is_busy() const { return writer_ && writer_->is_busy(); }
  // As Checkpoints::is_due().
  [[nodiscard]] bool is_due(std::int64_t steps_done, const Votes& votes);
  // Stage one.
  void copy() { parts_.engine->snapshot_into(*snapshot_); }
  // Stage two: writes `snapshot`, which must not change before the next call to is_due() that
  // returns true; null: the one that copy() has filled.
  void write(const engine::StateSnapshot* snapshot, checkpoint::RunState state);
  // Waits for the copy under way.
  void finish();
  void abandon(const Error& error) noexcept {
    if (writer_) writer_->abandon(error);
  }

 private:
  [[nodiscard]] std::string prepare();
  void look(const std::optional<WriterReport>& report);

  Parts parts_;
  std::optional<engine::StateSnapshot> snapshot_;
  std::optional<std::int64_t> due_;
  bool has_failed_ = false;                 // the last copy
  std::optional<CheckpointWriter> writer_;  // last: it reads the snapshot. Absent: no copies
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_MEMORY_COPIES_H_
