#include "megascale/observe/worst_tasks.h"

#include <algorithm>
#include <array>
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

// A step has hundreds of tasks that compute and some tens of idle pieces, in each step of each rank. So they are
// listed and sorted, without a table.
std::vector<WorstTask> worst_tasks(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                                   std::size_t most) {
  std::vector<IdlePiece> pieces = idle_pieces(plan, records);
  std::ranges::sort(pieces, {}, [](const IdlePiece& piece) {
    return std::pair(piece.culprit, cause_of(piece.cause));
  });
  std::vector<WorstTask> tasks;
  tasks.reserve(records.size() + pieces.size());
  for (const IdlePiece& piece : pieces) {
    const TaskCause cause = cause_of(piece.cause);
    if (tasks.empty() || tasks.back().task != piece.culprit || tasks.back().cause != cause)
      tasks.push_back({.task = piece.culprit, .cause = cause});
    tasks.back().seconds += 1e-9 * static_cast<double>(piece.to_ns - piece.from_ns);
  }
  for (std::uint32_t id = 0; id < records.size(); ++id) {
    if (plan.op(plan.tasks()[id]).lane != graph::Lane::compute || records[id].done_ns == 0)
      continue;
    tasks.push_back(
        {.task = id,
         .seconds = 1e-9 * static_cast<double>(records[id].done_ns - records[id].start_ns)});
  }
  const std::size_t count = std::min(most, tasks.size());
  std::partial_sort(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(count), tasks.end(),
                    [](const WorstTask& a, const WorstTask& b) {
                      return std::pair(b.seconds, a.task) < std::pair(a.seconds, b.task);
                    });
  tasks.resize(count);
  return tasks;
}

}  // namespace megascale::observe
