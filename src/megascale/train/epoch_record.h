#ifndef MEGASCALE_TRAIN_EPOCH_RECORD_H_
#define MEGASCALE_TRAIN_EPOCH_RECORD_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "megascale/base/run_directory.h"
#include "megascale/checkpoint/open.h"

namespace megascale::train {

// The epochs of the attempts of a job, in RUN_DIR/control/epochs. The executor that starts rank 0 adds
// an epoch before it starts the ranks, so every checkpoint of an attempt has an epoch that is in the
// record. One that has not comes from a process that no executor of this job has started.
//
// The first line is "record ID", where ID is drawn at random with the record; each further line is
// "epoch N SECONDS", where SECONDS is the time since 1970. If the directory control/ is removed, the next record has another id, and checkpoints
// that name the old one count as those of a run without a driver.
class EpochRecord {
 public:
  // Reads the record; it is empty if there is none. Throws Error (io).
  explicit EpochRecord(const RunDirectory& run);
  // Adds an epoch, and returns when that is on the disk; makes the record if there is none. Does
  // nothing if it has the epoch. Throws Error (io).
  static void add(const RunDirectory& run, std::int64_t epoch);

  // Returns the mark of checkpoints of this attempt; nothing if there is no record. Throws Error
  // (failed) if the record lacks the epoch.
  [[nodiscard]] std::optional<checkpoint::AttemptMark> mark(std::int64_t epoch) const;
  // The mean time between the starts of two attempts, in seconds; nothing if there are less than two.
  [[nodiscard]] std::optional<double> mean_time_between_attempts() const noexcept;
  [[nodiscard]] std::size_t attempts() const noexcept { return epochs_.size(); }
  // Throws Error (failed) if the checkpoint names this record and an epoch that it lacks.
  void require(const checkpoint::Manifest& manifest, const std::filesystem::path& checkpoint) const;

 private:
  std::filesystem::path path_;
  std::string id_;
  std::set<std::int64_t> epochs_;
  std::optional<std::int64_t> first_seconds_, last_seconds_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_EPOCH_RECORD_H_
