#ifndef MEGASCALE_TRAIN_MEMORY_COPIES_H_
#define MEGASCALE_TRAIN_MEMORY_COPIES_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "megascale/checkpoint/open.h"
#include "megascale/engine/engine.h"
#include "megascale/train/checkpoint_writer.h"
#include "megascale/train/copies_directory.h"
#include "megascale/train/interval.h"
#include "megascale/train/trainer.h"

namespace megascale::train {

// Opens the newest good copy in `directory`. Digests are compared when it is read. Returns nothing if
// there is none; reports each that is damaged or not accepted, and a directory of another user, to
// `on_message`.
[[nodiscard]] std::optional<checkpoint::Opened> open_newest_copy(
    const std::filesystem::path& directory,
    const std::function<void(const std::string&)>& on_message,
    const checkpoint::Accept& accept = {});

// Copies of the state in the shared memory of the host, which outlive the processes of the run, even
// a kill -9. A copy is a checkpoint as on the disk, and is written in the same two stages: so a
// copy that is not whole or whose bytes have changed is noticed, and one can be read by any layout
// of ranks on this host. The newest one is kept; a new one replaces it when it is whole.
//
// A failure loses at most checkpoint.memory_interval steps: the copy after step N is whole before step
// N + 1 counts as done. If it is not when that step ends, training waits for it.
//
// If the ranks are on several hosts, each host has the shards of its ranks, and second copies of those
// of others, where there is a host that can keep them (host_save.h, choose_peers()): so the state
// outlives the loss of a host. If the memory cannot be used, rank 0 says so once, and no copies are
// made. A copy that fails costs nothing but itself.
class MemoryCopies {
 public:
  struct Parts {
    const Config* config = nullptr;
    const engine::Engine* engine = nullptr;
    comm::Coordination* copies = nullptr;  // used by nobody else
    const HostLayout* hosts = nullptr;
    std::filesystem::path directory;              // of copies, on this rank's host
    std::filesystem::path resumed;                // the copy that the run goes on from; else empty
    std::int64_t steps_done = 0;                  // at the start
    FailureRate failures;                         // as Checkpoints::Parts::failures
    std::function<std::int64_t()> require_owner;  // JointSave::require_owner
    std::optional<checkpoint::AttemptMark> attempt = {};
    std::function<void(const std::string& message)> say;  // does nothing on ranks other than 0
  };
  // All ranks make one, after they have loaded their state: all copies but `resumed` are removed.
  // Throws Error if ranks are lost, or memory for the snapshot.
  explicit MemoryCopies(Parts parts);

  // false: the ranks have no memory for copies.
  [[nodiscard]] bool makes_copies() const noexcept { return writer_.has_value(); }
  // Call it after every step. Waits for the copy under way. Returns whether this step takes a copy;
  // all ranks return the same.
  [[nodiscard]] bool is_due(std::int64_t steps_done);
  // How long the last is_due() has waited; 0: the copy was whole, or there was none.
  [[nodiscard]] double waited_seconds() const noexcept { return waited_seconds_; }
  // Stage one.
  void copy() { parts_.engine->snapshot_into(*snapshot_); }
  // The state was copied, by copy() or for a checkpoint too (Interval::copied).
  void copied(std::int64_t steps_done, double stall_seconds, std::int64_t now_ns) noexcept {
    // A copy that steps wait for costs that too.
    stall_seconds_ = stall_seconds + std::exchange(last_wait_seconds_, 0);
    interval_.copied(steps_done, stall_seconds_, now_ns);
  }
  // Stage two, beside the next step or at once (checkpoint.background): writes `snapshot`, which must not
  // change before the next is_due(); null: the one that copy() has filled.
  void write(const engine::StateSnapshot* snapshot, checkpoint::RunState state);
  // Waits for the copy under way.
  void finish();
  void abandon(const Error& error) noexcept {
    if (writer_) writer_->abandon(error);
  }

 private:
  [[nodiscard]] std::string prepare();
  void wait_for_last(std::int64_t steps_done);
  void look(const std::optional<WriterReport>& report);

  Parts parts_;
  FileHandle mark_;  // mark_copies(), on the first rank of each host
  std::optional<engine::StateSnapshot> snapshot_;
  Interval interval_;
  double stall_seconds_ = 0;
  double waited_seconds_ = 0, last_wait_seconds_ = 0;  // after the last step; for the last copy
  bool has_failed_ = false;                            // the last copy
  bool said_stall_ = false, said_wait_ = false;
  std::optional<CheckpointWriter> writer_;  // last: it reads the snapshot. Absent: no copies
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_MEMORY_COPIES_H_
