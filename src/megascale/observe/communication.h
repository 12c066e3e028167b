#ifndef MEGASCALE_OBSERVE_COMMUNICATION_H_
#define MEGASCALE_OBSERVE_COMMUNICATION_H_

#include <array>

#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// Bytes that a rank hands to others in one step, by lane, counted from the plan's own transfers.
// What has to leave a rank of n, whatever the algorithm: of a gather its part to n - 1 ranks, of a
// reduce-scatter and an exchange (n - 1)/n of what it gives, of an all-reduce both of a
// reduce-scatter and a gather; of a send all, of a receive nothing. A broadcast counts as sent once
// by every rank but the last, as in a chain: on average (n - 1)/n.
struct CommunicationVolume {
  std::array<double, graph::kLaneCount> by_lane{};
  [[nodiscard]] double operator[](graph::Lane lane) const noexcept {
    return by_lane[static_cast<std::size_t>(lane)];
  }
  [[nodiscard]] double total() const noexcept;
};
[[nodiscard]] CommunicationVolume count_communication(const plan::StepPlan& plan);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_COMMUNICATION_H_
