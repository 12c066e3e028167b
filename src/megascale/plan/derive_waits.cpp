#include "megascale/plan/derive_waits.h"

#include <algorithm>

#include "megascale/plan/access_history.h"
#include "megascale/plan/clocks.h"

namespace megascale::plan {
namespace {

struct Needed {
  std::uint32_t count = 0;  // of the lane
  std::uint32_t task = 0;
};
using NeededWaits = std::array<Needed, graph::kLaneCount>;

// Per task and lane the latest task it conflicts with, over all coordinates.
std::vector<NeededWaits> conflicts(const StepPlan& plan,
                                   std::span<const Coordinates> all_coordinates) {
  std::vector<NeededWaits> needed(plan.tasks().size());
  for (const Coordinates& coordinates : all_coordinates) {
    AccessHistory history;
    std::array<std::uint32_t, graph::kLaneCount> issued{};
    for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
      const Task& task = plan.tasks()[id];
      const PlanOp& op = plan.op(task);
      const auto lane = static_cast<std::size_t>(op.lane);
      const AccessHistory::Access self{.task = id, .count = ++issued[lane], .lane = op.lane};
      for (const Operand& operand : op.operands) {
        if (operand.buffer == kNoBuffer) continue;
        const bool writes = StepPlan::access(task, operand) != graph::Access::read;
        history.visit(plan.range(task, operand, coordinates), writes, self,
                      [&](const AccessHistory::Access& earlier) {
                        Needed& need = needed[id][static_cast<std::size_t>(earlier.lane)];
                        if (earlier.task != id && earlier.count > need.count)
                          need = {earlier.count, earlier.task};
                      });
      }
    }
  }
  return needed;
}

BufferId owner(const StepPlan& plan, BufferId id) {
  const BufferId parent = plan.buffer(id).view_of;
  return parent == kNoBuffer ? id : parent;
}

// Whether the later task's conflict with the earlier one is over a buffer of both: then data flows.
// Else bytes change hands, and `reuse` says from which buffer to which.
bool data_flows(const StepPlan& plan, std::span<const Coordinates> all_coordinates,
                std::uint32_t later, std::uint32_t earlier, ReuseWait& reuse) {
  const Task &a = plan.tasks()[later], &b = plan.tasks()[earlier];
  for (const Operand& x : plan.op(a).operands) {
    for (const Operand& y : plan.op(b).operands) {
      if (x.buffer == kNoBuffer || y.buffer == kNoBuffer) continue;
      if (StepPlan::access(a, x) == graph::Access::read &&
          StepPlan::access(b, y) == graph::Access::read)
        continue;
      const bool share = std::any_of(
          all_coordinates.begin(), all_coordinates.end(), [&](const Coordinates& coordinates) {
            return overlap(plan.range(a, x, coordinates), plan.range(b, y, coordinates));
          });
      if (!share) continue;
      if (owner(plan, x.buffer) == owner(plan, y.buffer)) return true;
      reuse = {later, earlier, x.buffer, y.buffer};
    }
  }
  return false;
}

}  // namespace

std::vector<Coordinates> distinct_coordinates(const StepPlan::Tables& tables,
                                              const graph::AxisSizes& axes) {
  std::vector<Coordinates> all{Coordinates{}};
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    const bool used = std::any_of(tables.ops.begin(), tables.ops.end(), [&](const PlanOp& op) {
      return std::any_of(op.operands.begin(), op.operands.end(), [&](const Operand& operand) {
        return operand.term.n != 0 && static_cast<std::size_t>(operand.term.axis) == axis;
      });
    });
    if (!used) continue;
    std::vector<Coordinates> extended;
    for (const Coordinates& coordinates : all) {
      for (std::uint32_t value = 0; value < axes.sizes[axis]; ++value) {
        extended.push_back(coordinates);
        extended.back()[axis] = value;
      }
    }
    all = std::move(extended);
  }
  return all;
}

std::vector<ReuseWait> derive_waits(StepPlan::Tables& tables, const graph::AxisSizes& axes) {
  const auto coordinates = distinct_coordinates(tables, axes);
  const StepPlan unwaited(tables);
  const std::vector<NeededWaits> needed = conflicts(unwaited, coordinates);
  std::vector<ReuseWait> reuses;
  Clocks clocks(tables.tasks.size());
  tables.waits.clear();
  for (std::uint32_t id = 0; id < tables.tasks.size(); ++id) {
    Task& task = tables.tasks[id];
    const graph::Lane lane = tables.ops[index(task.op)].lane;
    Clock clock = clocks.lane_clock(lane);
    // Latest first: its clock often covers the others, which then need no wait of their own.
    std::vector<std::pair<Needed, graph::Lane>> wanted;
    for (std::size_t other = 0; other < graph::kLaneCount; ++other) {
      if (needed[id][other].count != 0)
        wanted.emplace_back(needed[id][other], static_cast<graph::Lane>(other));
    }
    std::sort(wanted.begin(), wanted.end(),
              [](const auto& a, const auto& b) { return a.first.task > b.first.task; });
    task.first_wait = static_cast<std::uint32_t>(tables.waits.size());
    for (const auto& [need, other] : wanted) {
      if (clock[static_cast<std::size_t>(other)] >= need.count) continue;
      const Wait wait{.lane = other, .count = need.count};
      clocks.join(clock, wait);
      tables.waits.push_back(wait);
      ReuseWait reuse;
      if (!data_flows(unwaited, coordinates, id, need.task, reuse)) reuses.push_back(reuse);
    }
    task.wait_count = static_cast<std::uint16_t>(tables.waits.size() - task.first_wait);
    clocks.push(lane, clock);
  }
  return reuses;
}

}  // namespace megascale::plan
