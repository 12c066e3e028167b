#ifndef MEGASCALE_OBSERVE_WORST_TASKS_H_
#define MEGASCALE_OBSERVE_WORST_TASKS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// What a task did to the compute lane: it computed there, or the lane was idle because of it (blame.h).
enum class TaskCause : std::uint8_t { compute, exposed_comm, bubble, data_wait };
inline constexpr std::size_t kTaskCauses = 4;
[[nodiscard]] std::string_view to_string(TaskCause cause) noexcept;

struct WorstTask {
  std::uint32_t task = 0;
  TaskCause cause = TaskCause::compute;
  double seconds = 0;  // of the compute lane
  bool operator==(const WorstTask&) const = default;
};
// Returns the tasks that took most of the compute lane's time in a step, the longest first, at most
// `most`. `records` has one record for each task of the plan. Pure.
[[nodiscard]] std::vector<WorstTask> worst_tasks(const plan::StepPlan& plan,
                                                 std::span<const TaskRecord> records,
                                                 std::size_t most);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_WORST_TASKS_H_
