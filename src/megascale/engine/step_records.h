#ifndef MEGASCALE_ENGINE_STEP_RECORDS_H_
#define MEGASCALE_ENGINE_STEP_RECORDS_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/task_record.h"
#include "megascale/plan/step_plan.h"
#include "megascale/runtime/record_ring.h"

namespace megascale::engine {

// Chooses where the task records of each step of a rank go: to the ring of the last steps, to a
// file of the step's own if the step is to be kept, or to memory if there are no files. Used by the
// rank's thread.
class StepRecords {
 public:
  struct Options {
    std::filesystem::path ring;  // empty: records are kept in memory only
    std::uint32_t ring_steps = 8;
    // By step: the file, a ring of one place, for the records of a step that is to be kept.
    std::map<std::int64_t, std::filesystem::path> kept;
    std::array<std::uint64_t, kReplicaGroups> groups{};  // RecordRing::Options::groups
  };
  // `plan` is the training plan of rank `rank`; it must outlive this object.
  StepRecords(Options options, const plan::StepPlan& plan, std::uint32_t rank);
  // Creates or replaces the files that steps from `first_step` to before `end` will be written to;
  // only the first call does. So a run that has nothing to do leaves the records of an earlier run as
  // they are. Throws Error (io), for instance if the disk is full: steps themselves allocate nothing.
  // `before`: the records of the plan whose steps were done before, or null. Their outcomes are kept,
  // and their files are closed. A run that has begun must not fail for its records: an error is then
  // returned instead of thrown, and records are kept in memory only.
  std::optional<Error> open(std::int64_t first_step, std::int64_t end,
                            StepRecords* before = nullptr);
  // Returns the place for the records of a step, one per task, cleared. It stays valid until the
  // files are closed, since carried tasks may write theirs after the step.
  [[nodiscard]] std::span<TaskRecord> begin(std::int64_t step) noexcept;
  void end(std::int64_t step) noexcept;
  // Stores the outcome of a step in the ring of the last steps, also if its records are kept.
  void put_outcome(const StepOutcome& outcome) noexcept;

 private:
  void make_files(std::int64_t first_step, std::int64_t end, StepRecords* before);
  [[nodiscard]] runtime::RecordRing* ring_of(std::int64_t step) noexcept;

  Options options_;
  const plan::StepPlan* plan_;
  std::uint32_t rank_;
  std::optional<runtime::RecordRing> ring_;
  std::map<std::int64_t, runtime::RecordRing> kept_;
  std::vector<TaskRecord> memory_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_STEP_RECORDS_H_
