#ifndef MEGASCALE_TRAIN_CHECKPOINTS_H_
#define MEGASCALE_TRAIN_CHECKPOINTS_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "megascale/engine/engine.h"
#include "megascale/train/checkpoint_writer.h"
#include "megascale/train/interval.h"
#include "megascale/train/memory_copies.h"
#include "megascale/train/trainer.h"

namespace megascale::train {

// The checkpoints of a run, as its training loop sees them. A checkpoint has two stages. Stage one
// copies the rank's state to memory between two steps; only then training stands still. Stage two
// writes the copy to the disk. With checkpoint.background it runs beside the next steps, except for
// the last checkpoint of a run.
//
// With checkpoint.memory_interval it also takes copies in memory (MemoryCopies). A step that takes
// both copies the state once.
//
// All ranks must take the same decisions. They follow from the configuration and from the votes of
// the steps, which are equal on all ranks.
//
// Rate  Beside steps a rank writes, and reads back, at checkpoint.max_rate. If that is 0, it is the
//       rate at which both end before the next checkpoint (save_rate.h). It follows the time that
//       steps take meanwhile.
class Checkpoints {
 public:
  struct Parts {
    const Config* config = nullptr;
    const TrainOptions* options = nullptr;
    engine::Engine* engine = nullptr;
    comm::Coordination* commits = nullptr;
    comm::Coordination* copies = nullptr;    // for MemoryCopies
    const HostLayout* hosts = nullptr;       // likewise
    std::filesystem::path memory_directory;  // of copies, on this rank's host
    std::filesystem::path resumed;           // the checkpoint that the run goes on from, or empty
    std::function<std::int64_t()> require_owner;     // JointSave::require_owner
    std::optional<checkpoint::AttemptMark> attempt;  // JointSave::attempt; on rank 0
    FailureRate failures;                            // on rank 0, for intervals that are "auto"
    std::function<void(const std::string& message)> say;  // does nothing on ranks other than 0
  };
  // Allocates the memory of the copy, so that a lack of it shows before the first step. Everything
  // in `parts` must outlive this object. Throws Error.
  explicit Checkpoints(Parts parts, std::int64_t steps_done);

  // Adds this rank's votes of the step that begins now.
  void vote(Votes& votes) const;
  // Call it after every step. Says how the save that ended meanwhile went; waits for the copy in memory
  // under way. Returns whether this step takes a copy in memory, or a checkpoint: one is due, or was
  // due earlier, and no rank voted that it is still writing. `votes` are those of the step. Throws
  // Error (failed) if another run owns the directory.
  [[nodiscard]] bool is_due(std::int64_t steps_done, const Votes& votes);
  // Stage one: copies the state after `steps_done` steps. If `is_last`, first waits for the saves under
  // way; otherwise there must be none that reads the same memory.
  void copy(std::int64_t steps_done, bool is_last);
  // How long training stood still after this step, in is_due() and copy(). Nothing: it did not, or the
  // step saves while training stands still, for a time that is not known yet.
  [[nodiscard]] std::optional<double> stall_seconds() const noexcept { return stall_seconds_; }
  // Stage two, after copy(): writes the copy, beside the next steps unless `is_last`. `state` is the
  // state of the run at that step. If a save fails (the disk is full, say), that is said, and
  // training goes on; former checkpoints are unchanged. Throws the Error of the last save, since no
  // later one can succeed.
  void write(checkpoint::RunState state, bool is_last);
  // Waits for the saves under way, and says how they went.
  void finish();
  // Ends the saves under way, because this rank has failed. Copies in memory stay.
  void abandon(const Error& error) noexcept;

 private:
  [[nodiscard]] bool is_disk_due(std::int64_t steps_done, const Votes& votes);
  [[nodiscard]] bool is_in_background(bool is_last) const noexcept;
  // Bytes per second of the save that has just begun, or goes on, after `steps_done` steps.
  [[nodiscard]] double rate(std::int64_t steps_done, std::int64_t now_ns) const;
  void take_result(const WriterReport& report, bool is_last);

  Parts parts_;
  engine::StateSnapshot snapshot_;
  Interval interval_;
  std::optional<std::int64_t> due_;  // the step after which the waiting checkpoint was due
  bool takes_disk_ = false, takes_memory_ = false;  // after this step
  bool said_busy_ = false;
  double copy_seconds_ = 0;
  std::optional<double> stall_seconds_;
  // Last: both read the snapshot.
  CheckpointWriter writer_;
  std::optional<MemoryCopies> memory_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_CHECKPOINTS_H_
