// Adds up TransferRule::handed_over() of all transfers of a plan.
#include "megascale/plan/communication_volume.h"

#include <numeric>
#include <optional>

namespace megascale::plan {
double CommunicationVolume::total() const noexcept {
  return std::accumulate(by_lane.begin(), by_lane.end(), 0.0);
}

CommunicationVolume count_communication(const StepPlan& plan) {
  CommunicationVolume volume;
  for (const Task& task : plan.tasks()) {
    const PlanOp& op = plan.op(task);
    if (!op.def->transfer) continue;
    const Communicator& group = plan.communicators()[index(op.communicator)];
    const std::uint32_t n =
        group.edge_offset != 0 ? 2 : graph::factor_size(plan.axes(), group.axes, group.factor);
    const std::optional<std::size_t> given = op.def->transfer_operands.given;
    if (!given) continue;  // this side only receives
    volume.by_lane[static_cast<std::size_t>(op.lane)] +=
        op.def->transfer->handed_over(static_cast<double>(op.operands[*given].nbytes), n,
                                      op.attributes.integer(graph::attribute::offset, 0));
  }
  return volume;
}

}  // namespace megascale::plan
