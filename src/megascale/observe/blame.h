#ifndef MEGASCALE_OBSERVE_BLAME_H_
#define MEGASCALE_OBSERVE_BLAME_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/observe/lane_order.h"
#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// The idle time of the compute lane in one step, by cause.
struct IdleTime {
  double exposed_comm_seconds = 0;  // the lane waited while a transfer moved bytes
  double bubble_seconds = 0;        // the lane waited until a partner started its transfer
  double data_wait_seconds = 0;     // the lane waited for the batch
};

// Attributes the idle time of a rank's compute lane in one step. While the head of the lane waits,
// the wait that was satisfied last is to blame. If that is a transfer:
// - the time in which it moved bytes is exposed communication;
// - the time from its start until its slowest partner started is bubble. If its record cannot tell
//   when the partner started (TaskRecord::matched_ns), this time is exposed communication;
// - the time before its start belongs to the transfer that held it back, by the same rules: the
//   one before it on its lane, or the one that it waited for. Without such a transfer it is bubble.
// If the culprit is a host-in task, the time is data wait. Waits for other tasks are not counted.
// `records` are the records of the step, one for each task of the plan. Pure.
[[nodiscard]] IdleTime blame(const plan::StepPlan& plan, std::span<const TaskRecord> records);
// The same for a caller that has many steps of one plan.
[[nodiscard]] IdleTime blame(const LaneOrder& order, std::span<const TaskRecord> records);

// One piece of that idle time.
enum class IdleCause : std::uint8_t { exposed_comm, bubble, data_wait };
[[nodiscard]] std::string_view to_string(IdleCause cause) noexcept;
struct IdlePiece {
  IdleCause cause = IdleCause::bubble;
  std::int64_t from_ns = 0, to_ns = 0;
  std::uint32_t task = 0;     // of the compute lane: the one that waited
  std::uint32_t culprit = 0;  // the transfer or host-in task to blame
};
// Returns the pieces that blame() adds up, in the order of the tasks that waited. Pure.
[[nodiscard]] std::vector<IdlePiece> idle_pieces(const plan::StepPlan& plan,
                                                 std::span<const TaskRecord> records);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_BLAME_H_
