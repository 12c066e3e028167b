// Sorts the tasks of a plan by lane. Wait counts need no translation, since lanes keep their order.
#include "megascale/simulate/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "megascale/base/error.h"
#include "megascale/plan/fused_pairs.h"

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
         .carried = task.carried ? 1U : 0U});
    lane.ids.push_back(id);
    uncarried += task.carried ? 0 : 1;
  }
  add_pairs(plan);
}

void RankProgram::add_pairs(const plan::StepPlan& plan) {
  const std::vector<plan::FusedPair> fused = plan::fused_pairs(plan);
  if (fused.empty()) return;
  struct Place {
    std::uint32_t lane = 0, task = 0;
  };
  std::vector<Place> place_of(plan.tasks().size());  // by id
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    for (std::uint32_t t = 0; t < lanes[l].ids.size(); ++t) place_of[lanes[l].ids[t]] = {l, t};
  }
  for (const plan::FusedPair& of : fused) {
    const auto number = static_cast<std::uint32_t>(pairs.size());
    const bool transfer_first = plan.op(plan.tasks()[of.tasks.front()]).def->transfer != nullptr;
    const Place transfer = place_of[transfer_first ? of.tasks.front() : of.tasks.back()];
    const Place unit = place_of[of.tasks[transfer_first ? 1 : 0]];
    Pair pair{.transfer_lane = transfer.lane,
              .transfer = transfer.task,
              .unit_lane = unit.lane,
              .unit = unit.task,
              .unit_size = static_cast<std::uint32_t>(of.tasks.size() - 1),
              .transfer_first = transfer_first};
    std::vector<Wait> all;
    for (std::uint32_t t = unit.task; t < unit.task + pair.unit_size; ++t) {
      lanes[unit.lane].tasks[t].pair = number & kNoPair;
      for (const Wait& wait : waits_of(lanes[unit.lane].tasks[t])) {
        const auto known = std::find_if(all.begin(), all.end(),
                                        [&](const Wait& other) { return other.lane == wait.lane; });
        if (known == all.end()) {
          all.push_back(wait);
        } else {
          known->count = std::max(known->count, wait.count);
        }
      }
    }
    lanes[transfer.lane].tasks[transfer.task].pair = number & kNoPair;
    pair.first_wait = static_cast<std::uint32_t>(waits.size());
    pair.wait_count = static_cast<std::uint32_t>(all.size());
    waits.insert(waits.end(), all.begin(), all.end());
    pairs.push_back(pair);
  }
}

}  // namespace megascale::simulate
