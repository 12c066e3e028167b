#ifndef MEGASCALE_BASE_RANK_POSITION_H_
#define MEGASCALE_BASE_RANK_POSITION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/task_record.h"

namespace megascale {

// How far a rank has come in the newest step of its record ring, without times and without its
// plan: which tasks are done. It is small enough to travel in a heartbeat, and holds all that the
// analysis of a hang needs (observe/progress.h). Plain data.
struct RankPosition {
  std::string plan_digest;
  std::uint32_t tasks = 0;   // of the plan
  std::int64_t step = -1;    // counted from 0; -1: it has recorded none
  bool ended = false;        // the step has ended, and the next one has not begun
  std::int64_t last_ns = 0;  // when it last did a task, or began or ended a step; rank 0's clock
  // Numbers at which "done" changes: tasks from done[0] to done[1] - 1 are done, those from done[1]
  // to done[2] - 1 are not, and so on.
  std::vector<std::uint32_t> done;
  // Tasks that have started and are not done; those of them that are transfers whose partners had
  // all started.
  std::vector<std::uint32_t> started, matched;
  bool operator==(const RankPosition&) const = default;
};

// Fills `done`, `started` and `matched` from the records of a step, one per task.
void set_records(RankPosition& position, std::span<const TaskRecord> records);
// Returns records that say the same as the position; their times are 1 where they are not 0.
// Returns nothing if the position contradicts itself: its numbers are not ascending, or not below
// `tasks`.
[[nodiscard]] std::optional<std::vector<TaskRecord>> records_of(const RankPosition& position);

}  // namespace megascale

#endif  // MEGASCALE_BASE_RANK_POSITION_H_
