// Adds up TransferRule::handed_over() of all transfers of a plan.
#include "megascale/plan/communication_volume.h"

#include <numeric>
#include <optional>

namespace megascale::plan {
double CommunicationVolume::total() const noexcept {
  return std::accumulate(by_lane.begin(), by_lane.end(), 0.0);
}

double sent_by(const StepPlan& plan, const PlanOp& op) {
  if (!op.def->transfer) return 0;
  const std::optional<std::size_t> given = op.def->transfer_operands.given;
  if (!given) return 0;  // this side only receives
  const Communicator& group = plan.communicators()[index(op.communicator)];
  const std::uint32_t n =
      group.edge_offset != 0 ? 2 : graph::factor_size(plan.axes(), group.axes, group.factor);
  return op.def->transfer->handed_over(expected_nbytes(op, *given), n,
                                       op.attributes.integer(graph::attribute::offset, 0));
}

CommunicationVolume count_communication(const StepPlan& plan) {
  CommunicationVolume volume;
  for (const Task& task : plan.tasks()) {
    const PlanOp& op = plan.op(task);
    if (op.def->transfer) volume.by_lane[static_cast<std::size_t>(op.lane)] += sent_by(plan, op);
  }
  return volume;
}

std::vector<GroupVolume> count_by_communicator(const StepPlan& plan) {
  std::vector<GroupVolume> volumes(plan.communicators().size());
  for (const Task& task : plan.tasks()) {
    const PlanOp& op = plan.op(task);
    if (!op.def->transfer) continue;
    GroupVolume& volume = volumes[index(op.communicator)];
    const double sent = sent_by(plan, op);
    const bool only_takes = op.def->transfer->takes && !op.def->transfer->gives;
    volume.sent += sent;
    if (only_takes) {
      volume.received += expected_nbytes(op, op.def->transfer_operands.taken.value());
    } else if (op.def->transfer->takes) {
      volume.received += sent;
    }
    ++volume.transfers;
  }
  return volumes;
}

}  // namespace megascale::plan
