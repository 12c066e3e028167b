// Sorts the tasks of a plan by lane. Wait counts need no translation, since lanes keep their order.
#include "megascale/simulate/rank_program.h"

#include <fmt/format.h>

#include <array>

#include "megascale/base/error.h"

namespace megascale::simulate {

RankProgram::RankProgram(const plan::StepPlan& plan) {
  if (plan.communicators().size() >= kComputes) {
    throw Error(ErrorCode::failed,
                fmt::format("simulate: a plan of {} communicators; at most {} can be simulated",
                            plan.communicators().size(), kComputes - 1));
  }
  constexpr std::uint32_t kUnused = ~0U;
  std::array<std::uint32_t, graph::kLaneCount> number_of{};
  number_of.fill(kUnused);
  for (const plan::Task& task : plan.tasks()) {
    const graph::Lane lane = plan.op(task).lane;
    std::uint32_t& number = number_of[static_cast<std::size_t>(lane)];
    if (number != kUnused) continue;
    number = static_cast<std::uint32_t>(lanes.size());
    lanes.push_back({.is_compute = lane == graph::Lane::compute, .tasks = {}, .ids = {}});
  }
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const plan::Task& task = plan.tasks()[id];
    const plan::PlanOp& op = plan.op(task);
    const auto first_wait = static_cast<std::uint32_t>(waits.size());
    for (const plan::Wait& wait : plan.waits(task))
      waits.push_back({number_of[static_cast<std::size_t>(wait.lane)], wait.count});
    Lane& lane = lanes[number_of[static_cast<std::size_t>(op.lane)]];
    lane.tasks.push_back(
        {.op = static_cast<std::uint32_t>(plan::index(task.op)),
         .first_wait = first_wait,
         .wait_count = task.wait_count,
         .communicator = op.def->transfer ? static_cast<std::uint16_t>(plan::index(op.communicator))
                                          : kComputes,
         .carried = task.carried});
    lane.ids.push_back(id);
    uncarried += task.carried ? 0 : 1;
  }
}

}  // namespace megascale::simulate
