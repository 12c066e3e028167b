// Goes through each lane and cuts it before every task that waits for another lane, and after every
// task that another lane waits for.
#include "megascale/runtime/cuda/graph_parts.h"

#include <utility>

namespace megascale::runtime {

std::vector<std::vector<std::uint32_t>> graph_parts(const BoundTasks& tasks,
                                                    const std::vector<bool>& op_on_host) {
  const plan::StepPlan& plan = tasks.step_plan();
  std::vector<bool> is_awaited(plan.tasks().size());
  for (const plan::Task& task : plan.tasks()) {
    for (const plan::Wait& wait : plan.waits(task))
      is_awaited[tasks.lanes[lane_number(wait.lane)][wait.count - 1]] = true;
  }
  std::vector<std::vector<std::uint32_t>> parts;
  std::vector<std::uint32_t> part;
  const auto end_part = [&] {
    if (part.size() > 1) parts.push_back(std::move(part));
    part.clear();
  };
  for (const auto& lane : tasks.lanes) {
    for (const std::uint32_t id : lane) {
      const plan::Task& task = plan.tasks()[id];
      const bool fits = !plan.op(task).def->transfer && !op_on_host[plan::index(task.op)];
      if (!fits || !plan.waits(task).empty()) end_part();
      if (fits) part.push_back(id);
      if (is_awaited[id]) end_part();
    }
    end_part();
  }
  return parts;
}

}  // namespace megascale::runtime
