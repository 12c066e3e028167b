#ifndef MEGASCALE_TRAIN_CHECKPOINT_WRITER_H_
#define MEGASCALE_TRAIN_CHECKPOINT_WRITER_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "megascale/comm/coordination.h"
#include "megascale/engine/state_snapshot.h"
#include "megascale/train/joint_save.h"

namespace megascale::train {

// What a rank writes: the copy of its state, which must not change meanwhile, and the state of the
// run at that step.
struct WriterJob {
  const engine::StateSnapshot* snapshot = nullptr;
  checkpoint::RunState state;
  std::int64_t next_interval = 0;  // JointSave::next_interval
};
// How a save ended, on this rank.
struct WriterReport {
  std::int64_t step = 0;
  double seconds = 0;  // from the call until all ranks knew the outcome; also if it failed
  JointSaveReport saved;
  std::optional<Error> error;  // absent: the checkpoint is committed
  // The error comes from JointSave::require_owner: another run owns the directory. Rank 0 only.
  bool has_lost_directory = false;
};

// Writes a rank's part of checkpoints (stage two of a save), either on a thread of its own while
// the rank makes steps, or on the calling thread. All ranks must begin the same saves in the same
// order, of one kind each. One save is under way at a time.
//
// Waits of the thread for other ranks have no limit: a rank that is lost makes the step fail, and
// the caller then calls abandon(). Waits of the calling thread have the limit of `commits`.
class CheckpointWriter {
 public:
  // `commits` must outlive this object; nobody else may use it meanwhile. JointSave::pace is set by
  // this object. Throws Error (failed) if the thread cannot be started.
  CheckpointWriter(comm::Coordination& commits, JointSave save);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  // Ends a save that is still under way as abandon() does.
  ~CheckpointWriter();

  // Begins a save on the thread, at most at this rate (WritePace). There must be no save under way
  // and no report that was not taken.
  void start(WriterJob job, double bytes_per_second);
  // Changes the rate of the save that start() has begun.
  void set_rate(double bytes_per_second) { pace_.set_rate(bytes_per_second); }
  // Bytes that this save has written and read back so far.
  [[nodiscard]] std::uint64_t nbytes_done() const { return pace_.nbytes() - nbytes_before_; }
  // Returns whether the save that start() has begun is still under way.
  [[nodiscard]] bool is_busy() const;
  // Returns the report of a save that start() has begun and that is over, once; else nothing.
  [[nodiscard]] std::optional<WriterReport> take_report();
  // Waits for the save that is under way, now without a limit of its rate. Then as take_report().
  [[nodiscard]] std::optional<WriterReport> finish();
  // Saves on the calling thread; no save may be under way.
  [[nodiscard]] WriterReport write_now(const WriterJob& job);
  // Makes the save under way fail, here and on the other ranks, and waits until the thread is done
  // with it: at most for the write of a few blocks. Later saves fail too.
  void abandon(const Error& error) noexcept;

 private:
  void serve() noexcept;
  [[nodiscard]] WriterReport write(const WriterJob& job) noexcept;

  comm::Coordination* commits_;
  JointSave save_;
  checkpoint::WritePace pace_;
  std::uint64_t nbytes_before_ = 0;  // of the pace, when the save began
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<WriterJob> job_;  // under way
  std::optional<WriterReport> report_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_CHECKPOINT_WRITER_H_
