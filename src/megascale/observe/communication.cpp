#include "megascale/observe/communication.h"

#include <numeric>

namespace megascale::observe {
namespace {

double handed_over(const plan::PlanOp& op, double n) {
  const std::string_view kind = op.def->name;
  const auto nbytes = static_cast<double>(op.operands[0].nbytes);
  if (kind == "recv") return 0;
  if (kind == "send") return nbytes;
  if (kind == "shift") return op.attributes.integer("offset", 0) == 0 ? 0 : nbytes;
  if (kind == "all_gather") return nbytes * (n - 1);
  if (kind == "all_reduce") return 2 * nbytes * (n - 1) / n;
  return nbytes * (n - 1) / n;  // reduce_scatter, all_to_all, broadcast
}

}  // namespace

double CommunicationVolume::total() const noexcept {
  return std::accumulate(by_lane.begin(), by_lane.end(), 0.0);
}

CommunicationVolume count_communication(const plan::StepPlan& plan) {
  CommunicationVolume volume;
  for (const plan::Task& task : plan.tasks()) {
    const plan::PlanOp& op = plan.op(task);
    if (!op.def->collective) continue;
    const plan::Communicator& group = plan.communicators()[plan::index(op.communicator)];
    const std::uint32_t n = group.edge_offset != 0 ? 2 : group.axes.group_size(plan.axes());
    volume.by_lane[static_cast<std::size_t>(op.lane)] += handed_over(op, n);
  }
  return volume;
}

}  // namespace megascale::observe
