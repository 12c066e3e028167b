#ifndef MEGASCALE_OBSERVE_LANE_ORDER_H_
#define MEGASCALE_OBSERVE_LANE_ORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// The tasks of each lane of a plan, in their order. A wait names a lane and a count; this table tells
// which task satisfies it. The plan must outlive it. Immutable, so any thread may read it.
class LaneOrder {
 public:
  struct Place {
    std::size_t lane = 0, index = 0;  // the index-th task of the lane, from 0
  };
  explicit LaneOrder(const plan::StepPlan& plan) : plan_(&plan) {
    for (std::uint32_t id = 0; id < plan.tasks().size(); ++id)
      lanes_[static_cast<std::size_t>(plan.op(plan.tasks()[id]).lane)].push_back(id);
  }

  [[nodiscard]] const plan::StepPlan& plan() const noexcept { return *plan_; }
  [[nodiscard]] const std::vector<std::uint32_t>& tasks(graph::Lane lane) const noexcept {
    return lanes_[static_cast<std::size_t>(lane)];
  }
  [[nodiscard]] std::uint32_t task_at(Place place) const { return lanes_[place.lane][place.index]; }
  // Returns the place of the task that satisfies a wait of `task`. `wait` counts the waits of the
  // task, as TaskRecord::last_wait does.
  [[nodiscard]] Place awaited_by(std::uint32_t task, std::uint32_t wait) const {
    const plan::Wait& found = plan_->waits(plan_->tasks()[task])[wait];
    return {static_cast<std::size_t>(found.lane), found.count - 1};
  }

 private:
  const plan::StepPlan* plan_;
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> lanes_;
};

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_LANE_ORDER_H_
