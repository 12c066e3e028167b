#ifndef MEGASCALE_SIMULATE_LANE_LISTS_H_
#define MEGASCALE_SIMULATE_LANE_LISTS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "megascale/plan/step_plan.h"

namespace megascale::simulate {

// The tasks of a plan by lane, in lane order; made once for all ranks that have the plan.
struct LaneLists {
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> lanes;
  std::uint32_t uncarried = 0;  // tasks that end before the rank's next step starts

  explicit LaneLists(const plan::StepPlan& plan) {
    for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
      const plan::Task& task = plan.tasks()[id];
      lanes[static_cast<std::size_t>(plan.op(task).lane)].push_back(id);
      uncarried += task.carried ? 0 : 1;
    }
  }
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_LANE_LISTS_H_
