// Goes through the tasks in issue order. Conflicts names the latest conflicting task of each other
// lane, and a vector clock says which tasks are done anyway. A wait is added only for a task that
// the clock does not contain. Candidates are tried latest first, because the clock of a late task
// often contains the others.
#include "megascale/plan/derive_waits.h"

#include <algorithm>
#include <optional>
#include <span>

#include "megascale/plan/clocks.h"
#include "megascale/plan/conflicts.h"
#include "megascale/plan/coordinates.h"

namespace megascale::plan {
namespace {

// By lane: the number of its tasks that must be done first; 0: none.
using NeededCounts = std::array<std::uint32_t, graph::kLaneCount>;

// Adds the waits of serial transfers: all earlier computation is done before one starts, and it is
// done before later computation starts. Called for each task in issue order.
class SerialTransfers {
 public:
  void next(const PlanOp& op, NeededCounts& needed) {
    constexpr auto kCompute = static_cast<std::size_t>(graph::Lane::compute);
    const auto lane = static_cast<std::size_t>(op.lane);
    ++issued_[lane];
    if (op.serial) {
      needed[kCompute] = std::max(needed[kCompute], issued_[kCompute]);
      serial_[lane] = issued_[lane];
    }
    if (lane != kCompute) return;
    for (std::size_t other = 0; other < graph::kLaneCount; ++other) {
      needed[other] = std::max(needed[other], serial_[other]);
    }
  }

 private:
  NeededCounts issued_{};
  NeededCounts serial_{};  // number of the last serial transfer, by lane
};

BufferId owner(const StepPlan& plan, BufferId id) {
  const BufferId parent = plan.buffer(id).view_of;
  return parent == kNoBuffer ? id : parent;
}

// Returns whether the two operands are in conflict at some place.
bool in_conflict(const StepPlan& plan, const PlaceCover& cover, const Task& a, const Operand& x,
                 const Task& b, const Operand& y) {
  if (StepPlan::access(a, x) == graph::Access::read &&
      StepPlan::access(b, y) == graph::Access::read)
    return false;
  const bool varies = cover.varies(x) || cover.varies(y);
  const auto places = std::span(cover.places).first(varies ? cover.places.size() : 1);
  return std::any_of(places.begin(), places.end(), [&](const Coordinates& place) {
    return overlap(cover.range(plan, a, x, place), cover.range(plan, b, y, place));
  });
}

// Returns a reuse wait if the later task conflicts with the earlier one only because two buffers
// share bytes. Returns nothing if data flows between the two tasks, or if they share no bytes.
std::optional<ReuseWait> reuse_only(const StepPlan& plan, const PlaceCover& cover,
                                    std::uint32_t later, std::uint32_t earlier) {
  const Task &a = plan.tasks()[later], &b = plan.tasks()[earlier];
  std::optional<ReuseWait> reuse;
  // Pairs within one buffer are tried first, since they decide for most waits.
  for (const bool one_buffer : {true, false}) {
    for (const Operand& x : plan.op(a).operands) {
      for (const Operand& y : plan.op(b).operands) {
        if (x.buffer == kNoBuffer || y.buffer == kNoBuffer) continue;
        if ((owner(plan, x.buffer) == owner(plan, y.buffer)) != one_buffer) continue;
        if (!in_conflict(plan, cover, a, x, b, y)) continue;
        if (one_buffer) return std::nullopt;
        reuse = ReuseWait{later, earlier, x.buffer, y.buffer};
      }
    }
  }
  return reuse;
}

}  // namespace

std::vector<ReuseWait> derive_waits(StepPlan::Tables& tables) {
  const auto tasks = static_cast<std::uint32_t>(tables.tasks.size());
  StepPlan plan(std::move(tables));  // without waits until they are known
  const PlaceCover cover = cover_places(plan);
  Conflicts conflicts(plan, cover);
  SerialTransfers serial_transfers;
  Clocks clocks(tasks);
  std::vector<ReuseWait> reuses;
  std::vector<Wait> waits;
  std::vector<std::uint32_t> first_wait;               // by task
  std::vector<std::pair<std::uint32_t, Wait>> wanted;  // for one task: (task to wait for, wait)
  for (std::uint32_t id = 0; id < tasks; ++id) {
    const PlanOp& op = plan.op(plan.tasks()[id]);
    Clock clock = clocks.lane_clock(op.lane);
    NeededCounts needed = conflicts.next().of_step;
    serial_transfers.next(op, needed);
    wanted.clear();
    for (std::size_t other = 0; other < graph::kLaneCount; ++other) {
      const Wait wait{.lane = static_cast<graph::Lane>(other), .count = needed[other]};
      if (wait.count > clock[other]) wanted.emplace_back(clocks.task(wait), wait);
    }
    // Latest first: its clock often contains the others, which then need no wait of their own.
    std::sort(wanted.begin(), wanted.end(),
              [](const auto& a, const auto& b) { return a.first > b.first; });
    first_wait.push_back(static_cast<std::uint32_t>(waits.size()));
    for (const auto& [earlier, wait] : wanted) {
      if (clock[static_cast<std::size_t>(wait.lane)] >= wait.count) continue;
      clocks.join(clock, wait);
      waits.push_back(wait);
      if (const auto reuse = reuse_only(plan, cover, id, earlier)) reuses.push_back(*reuse);
    }
    clocks.push(op.lane, clock);
  }
  first_wait.push_back(static_cast<std::uint32_t>(waits.size()));
  tables = std::move(plan).release();
  for (std::uint32_t id = 0; id < tasks; ++id) {
    tables.tasks[id].first_wait = first_wait[id];
    tables.tasks[id].wait_count = static_cast<std::uint16_t>(first_wait[id + 1] - first_wait[id]);
  }
  tables.waits = std::move(waits);
  return reuses;
}

}  // namespace megascale::plan
