#include "megascale/observe/worst_tasks.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "megascale/observe/blame.h"

namespace megascale::observe {
namespace {

TaskCause cause_of(IdleCause cause) noexcept {
  switch (cause) {
    case IdleCause::exposed_comm:
      return TaskCause::exposed_comm;
    case IdleCause::bubble:
      return TaskCause::bubble;
    case IdleCause::data_wait:
      return TaskCause::data_wait;
  }
  return TaskCause::bubble;
}

}  // namespace

std::string_view to_string(TaskCause cause) noexcept {
  constexpr std::array<std::string_view, kTaskCauses> kNames{"compute", "exposed_comm", "bubble",
                                                             "data_wait"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::vector<WorstTask> worst_tasks(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                                   std::size_t most) {
  std::map<std::pair<std::uint32_t, TaskCause>, std::int64_t> nanoseconds;
  for (std::uint32_t id = 0; id < records.size(); ++id) {
    if (plan.op(plan.tasks()[id]).lane == graph::Lane::compute && records[id].done_ns != 0)
      nanoseconds[{id, TaskCause::compute}] = records[id].done_ns - records[id].start_ns;
  }
  for (const IdlePiece& piece : idle_pieces(plan, records))
    nanoseconds[{piece.culprit, cause_of(piece.cause)}] += piece.to_ns - piece.from_ns;
  std::vector<WorstTask> tasks;
  tasks.reserve(nanoseconds.size());
  for (const auto& [task, ns] : nanoseconds)
    tasks.push_back({task.first, task.second, 1e-9 * static_cast<double>(ns)});
  const std::size_t count = std::min(most, tasks.size());
  std::partial_sort(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(count), tasks.end(),
                    [](const WorstTask& a, const WorstTask& b) { return a.seconds > b.seconds; });
  tasks.resize(count);
  return tasks;
}

}  // namespace megascale::observe
