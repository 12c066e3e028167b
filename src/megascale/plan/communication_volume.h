#ifndef MEGASCALE_PLAN_COMMUNICATION_VOLUME_H_
#define MEGASCALE_PLAN_COMMUNICATION_VOLUME_H_

#include <array>
#include <vector>

#include "megascale/plan/step_plan.h"

// Counts the bytes that one rank sends in a step. They depend on the plan only, not on the
// algorithms of the communication back end.
namespace megascale::plan {

// The bytes that a rank hands to others in one step, by lane, summed over the transfers of its plan
// (TransferRule::handed_over).
struct CommunicationVolume {
  std::array<double, graph::kLaneCount> by_lane{};
  [[nodiscard]] double operator[](graph::Lane lane) const noexcept {
    return by_lane[static_cast<std::size_t>(lane)];
  }
  [[nodiscard]] double total() const noexcept;
};
[[nodiscard]] CommunicationVolume count_communication(const StepPlan& plan);

// Returns the bytes that a task of this op hands to other ranks; 0 if it is no transfer, or only takes.
[[nodiscard]] double sent_by(const StepPlan& plan, const PlanOp& op);

// The transfers of one communicator in one step, seen from one rank.
struct GroupVolume {
  double sent = 0, received = 0;  // bytes; a member of a group receives as many as it sends
  std::size_t transfers = 0;
};
// Returns the volumes by CommunicatorId.
[[nodiscard]] std::vector<GroupVolume> count_by_communicator(const StepPlan& plan);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_COMMUNICATION_VOLUME_H_
