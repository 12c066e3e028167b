// Attributes idle time with one pass over the tasks in issue order. A wait names a lane and a
// count; the task that satisfied it is the count-th task of that lane. Waits point backwards in
// issue order, so this task has been seen before.
#include "megascale/observe/blame.h"

#include <algorithm>
#include <array>
#include <vector>

namespace megascale::observe {

IdleTime blame(const plan::StepPlan& plan, std::span<const TaskRecord> records) {
  IdleTime idle;
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> lanes;
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const plan::Task& task = plan.tasks()[id];
    const graph::Lane lane = plan.op(task).lane;
    lanes[static_cast<std::size_t>(lane)].push_back(id);
    const TaskRecord& record = records[id];
    if (lane != graph::Lane::compute || record.last_wait == TaskRecord::kNoWait) continue;
    const plan::Wait wait = plan.waits(task)[record.last_wait];
    const std::uint32_t culprit = lanes[static_cast<std::size_t>(wait.lane)][wait.count - 1];
    const auto seconds = [&](std::int64_t from, std::int64_t to) {
      const std::int64_t begin = std::max(from, record.head_ns),
                         end = std::min(to, record.start_ns);
      return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0.0;
    };
    if (plan.op(plan.tasks()[culprit]).def->transfer) {
      const std::int64_t moved = moving_since(records[culprit]);
      idle.bubble_seconds += seconds(record.head_ns, moved);
      idle.exposed_comm_seconds += seconds(moved, record.start_ns);
    } else if (wait.lane == graph::Lane::host_in) {
      idle.data_wait_seconds += seconds(record.head_ns, record.start_ns);
    }
  }
  return idle;
}

}  // namespace megascale::observe
