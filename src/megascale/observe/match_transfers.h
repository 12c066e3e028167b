#ifndef MEGASCALE_OBSERVE_MATCH_TRANSFERS_H_
#define MEGASCALE_OBSERVE_MATCH_TRANSFERS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "megascale/base/task_record.h"
#include "megascale/plan/verify.h"

namespace megascale::observe {

// The records of one rank in one step, and the clock of their times.
struct RankRecords {
  const plan::StepPlan* plan = nullptr;
  const plan::Binding* binding = nullptr;  // of this rank
  std::span<TaskRecord> records;           // one for each task of the plan
  // Ranks with equal names share a clock, after `clock_offset_ns` is added to their times.
  std::string_view clock;
  std::int64_t clock_offset_ns = 0;
};

// Returns true if a transfer among the records was done, but its record does not tell when the last
// partner started it (TaskRecord::matched_ns is 0).
[[nodiscard]] bool has_unmatched(const plan::StepPlan& plan, std::span<const TaskRecord> records);

// Fills in matched_ns where it is 0, in the records of one step: the latest start_ns of this
// transfer on any member of its group, not before the start and not after the end of this rank's
// own task. The n-th transfer of a member on a communicator matches the n-th of every other member.
// A record stays as it is if a member's record is missing or if the members' clocks cannot be
// compared. `ranks` may be a part of the job's ranks. Pure except for `records`.
void match_transfers(std::span<const RankRecords> ranks);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_MATCH_TRANSFERS_H_
