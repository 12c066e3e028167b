#ifndef MEGASCALE_PLAN_COMMUNICATION_VOLUME_H_
#define MEGASCALE_PLAN_COMMUNICATION_VOLUME_H_

#include <array>

#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// Bytes that a rank hands over to others in one step, by lane, counted from the plan's own transfers
// (TransferRule::handed_over): what has to leave a rank, whatever the algorithm.
struct CommunicationVolume {
  std::array<double, graph::kLaneCount> by_lane{};
  [[nodiscard]] double operator[](graph::Lane lane) const noexcept {
    return by_lane[static_cast<std::size_t>(lane)];
  }
  [[nodiscard]] double total() const noexcept;
};
[[nodiscard]] CommunicationVolume count_communication(const StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_COMMUNICATION_VOLUME_H_
