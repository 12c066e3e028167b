#include "megascale/plan/derive_waits.h"

#include <algorithm>
#include <optional>

#include "megascale/plan/access_history.h"
#include "megascale/plan/clocks.h"
#include "megascale/plan/coordinates.h"

namespace megascale::plan {
namespace {

struct Needed {
  std::uint32_t count = 0;  // of the lane
  std::uint32_t task = 0;
};
using NeededWaits = std::array<Needed, graph::kLaneCount>;

// Per task and lane the latest task it conflicts with, over all coordinates.
std::vector<NeededWaits> conflicts(const StepPlan& plan, const PlaceCover& cover) {
  std::vector<NeededWaits> needed(plan.tasks().size());
  for (const Coordinates& place : cover.places) {
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
        history.visit(cover.range(plan, task, operand, place), writes, self,
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

// Adds what serial transfers ask for: computation before them is done, and they are before what
// follows.
void order_serial_transfers(const StepPlan& plan, std::vector<NeededWaits>& needed) {
  std::array<std::uint32_t, graph::kLaneCount> issued{};
  NeededWaits serial{};
  Needed computed;
  const auto at_least = [](Needed& have, const Needed& want) {
    if (want.count > have.count) have = want;
  };
  constexpr auto kCompute = static_cast<std::size_t>(graph::Lane::compute);
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const PlanOp& op = plan.op(plan.tasks()[id]);
    const auto lane = static_cast<std::size_t>(op.lane);
    const Needed self{.count = ++issued[lane], .task = id};
    if (op.serial) at_least(needed[id][kCompute], computed);
    if (op.serial) serial[lane] = self;
    if (op.lane != graph::Lane::compute) continue;
    computed = self;
    for (std::size_t other = 0; other < graph::kLaneCount; ++other) {
      at_least(needed[id][other], serial[other]);
    }
  }
}

BufferId owner(const StepPlan& plan, BufferId id) {
  const BufferId parent = plan.buffer(id).view_of;
  return parent == kNoBuffer ? id : parent;
}

// The two buffers whose bytes change hands, where that is the only conflict of the later task with
// the earlier one; nothing where data flows between them, or where they share no bytes.
std::optional<ReuseWait> reuse_only(const StepPlan& plan, const PlaceCover& cover,
                                    std::uint32_t later, std::uint32_t earlier) {
  const Task &a = plan.tasks()[later], &b = plan.tasks()[earlier];
  std::optional<ReuseWait> reuse;
  for (const Operand& x : plan.op(a).operands) {
    for (const Operand& y : plan.op(b).operands) {
      if (x.buffer == kNoBuffer || y.buffer == kNoBuffer) continue;
      if (StepPlan::access(a, x) == graph::Access::read &&
          StepPlan::access(b, y) == graph::Access::read)
        continue;
      const bool share =
          std::any_of(cover.places.begin(), cover.places.end(), [&](const Coordinates& place) {
            return overlap(cover.range(plan, a, x, place), cover.range(plan, b, y, place));
          });
      if (!share) continue;
      if (owner(plan, x.buffer) == owner(plan, y.buffer)) return std::nullopt;
      reuse = ReuseWait{later, earlier, x.buffer, y.buffer};
    }
  }
  return reuse;
}

}  // namespace

std::vector<ReuseWait> derive_waits(StepPlan::Tables& tables) {
  const StepPlan unwaited(tables);
  const PlaceCover cover = cover_places(unwaited);
  std::vector<NeededWaits> needed = conflicts(unwaited, cover);
  order_serial_transfers(unwaited, needed);
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
      if (const auto reuse = reuse_only(unwaited, cover, id, need.task)) {
        reuses.push_back(*reuse);
      }
    }
    task.wait_count = static_cast<std::uint16_t>(tables.waits.size() - task.first_wait);
    clocks.push(lane, clock);
  }
  return reuses;
}

}  // namespace megascale::plan
