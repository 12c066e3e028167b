// Proves that no two tasks of a rank touch the same bytes without an order, if one of them writes.
// Conflicts finds, for each task, the latest earlier tasks with which it is in conflict. A vector
// clock says which tasks are certainly done when it starts. A conflicting task that the clock does
// not contain is a hazard. Carried tasks of the previous step are checked against all tasks of this
// one.
#include <algorithm>
#include <optional>

#include "megascale/plan/checks.h"
#include "megascale/plan/clocks.h"
#include "megascale/plan/conflicts.h"

namespace megascale::plan {
namespace {

// Returns the carried tasks that may still run when the next step starts: those behind the last
// task of their lane that is not carried.
std::vector<std::uint32_t> carried_tail(const StepPlan& plan) {
  std::vector<std::uint32_t> tail;
  std::array<bool, graph::kLaneCount> ended{};
  for (auto id = static_cast<std::uint32_t>(plan.tasks().size()); id-- > 0;) {
    const Task& task = plan.tasks()[id];
    bool& lane_ended = ended[static_cast<std::size_t>(plan.op(task).lane)];
    lane_ended = lane_ended || !task.carried;
    if (!lane_ended) tail.push_back(id);
  }
  std::reverse(tail.begin(), tail.end());
  return tail;
}

// The bytes that two conflicting tasks both touch.
struct Meeting {
  Coordinates place{};
  const Operand* operand = nullptr;  // of the later task; `range` is its range
  ByteRange range;
};

std::optional<Meeting> find_meeting(const StepPlan& plan, const PlaceCover& cover,
                                    std::uint32_t later, std::uint32_t earlier) {
  const Task &a = plan.tasks()[later], &b = plan.tasks()[earlier];
  for (const Coordinates& place : cover.places) {
    for (const Operand& x : plan.op(a).operands) {
      for (const Operand& y : plan.op(b).operands) {
        if (x.buffer == kNoBuffer || y.buffer == kNoBuffer) continue;
        if (StepPlan::access(a, x) == graph::Access::read &&
            StepPlan::access(b, y) == graph::Access::read)
          continue;
        const ByteRange range = cover.range(plan, a, x, place);
        if (overlap(range, cover.range(plan, b, y, place))) return Meeting{place, &x, range};
      }
    }
  }
  return std::nullopt;
}

// Returns the first rank at the place, as far as the cover tells places apart.
std::uint32_t rank_at(const SharedPlan& shared, const PlaceCover& cover, const Coordinates& place) {
  const auto found = std::find_if(shared.places.begin(), shared.places.end(),
                                  [&](const Place& p) { return cover.of(p.coordinates) == place; });
  return found == shared.places.end() ? shared.first.binding.rank : found->rank;
}

}  // namespace

void check_hazards(const SharedPlan& shared, std::vector<Violation>& violations) {
  const StepPlan& plan = *shared.first.plan;
  std::vector<Coordinates> coordinates;
  for (const Place& place : shared.places) coordinates.push_back(place.coordinates);
  const PlaceCover cover = cover_places(plan, coordinates);
  const std::vector<std::uint32_t> tail = carried_tail(plan);
  Reporter reporter(violations, shared.first);
  Clocks clocks(plan.tasks().size());
  Conflicts conflicts(plan, cover, tail);
  const auto report = [&](std::uint32_t id, std::uint32_t earlier, bool carried) {
    const auto meeting = find_meeting(plan, cover, id, earlier);
    MEGASCALE_CHECK(meeting, "expected common bytes of two conflicting tasks, found none");
    const bool writes =
        StepPlan::access(plan.tasks()[id], *meeting->operand) != graph::Access::read;
    reporter.add(
        ViolationKind::hazard, rank_at(shared, cover, meeting->place), id,
        fmt::format("{} bytes [{}, {}) of buffer {} without waiting for task {} ({}) on lane {}{}",
                    writes ? "writes" : "reads", meeting->range.begin, meeting->range.end,
                    plan.buffer(meeting->operand->buffer).name, earlier, plan.task_name(earlier),
                    graph::to_string(plan.op(plan.tasks()[earlier]).lane),
                    carried ? ", carried over from the step before" : ""));
  };
  for (std::uint32_t id = 0; id < plan.tasks().size() && !reporter.full(); ++id) {
    const Task& task = plan.tasks()[id];
    const graph::Lane lane = plan.op(task).lane;
    Clock clock = clocks.lane_clock(lane);
    for (const Wait& wait : plan.waits(task)) clocks.join(clock, wait);
    const Conflicts::Latest latest = conflicts.next();
    for (std::size_t other = 0; other < graph::kLaneCount; ++other) {
      if (latest.of_step[other] > clock[other]) {
        const Wait missing{.lane = static_cast<graph::Lane>(other), .count = latest.of_step[other]};
        report(id, clocks.task(missing), false);
      }
    }
    // A lane runs in order, so once any task of this step is done on it, its carried tasks are
    // done.
    for (const std::uint32_t earlier : tail) {
      const graph::Lane other = plan.op(plan.tasks()[earlier]).lane;
      const bool ordered = other == lane || clock[static_cast<std::size_t>(other)] > 0;
      if (!ordered && latest.carried[static_cast<std::size_t>(other)] != 0 &&
          find_meeting(plan, cover, id, earlier)) {
        report(id, earlier, true);
      }
    }
    clocks.push(lane, clock);
  }
}

}  // namespace megascale::plan
