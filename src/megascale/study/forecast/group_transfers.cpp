#include "megascale/study/forecast/group_transfers.h"

#include <algorithm>

#include "megascale/plan/verify.h"

namespace megascale::study {

double GroupTransfers::seconds(const graph::OpDef& def, double nbytes, std::uint32_t stride,
                               std::uint32_t count) {
  const auto [known, is_new] = spreads_.try_emplace({stride, count});
  if (is_new) {
    plan::CommunicatorBinding group;
    for (std::uint32_t i = 0; i < count; ++i) group.members.push_back(i * stride);
    plan::Binding binding;
    binding.communicators.push_back(std::move(group));
    known->second = simulate::spreads_of(binding, cluster_).front();
  }
  plan::PlanOp op{.def = &def, .lane = def.lane, .operands = {}};
  op.operands.push_back(
      {.buffer = plan::BufferId{0}, .nbytes = static_cast<std::uint64_t>(std::max(nbytes, 0.0))});
  const simulate::OpCost cost = simulate::transfer_cost(op, known->second, cluster_);
  return cost.seconds + cost.latency_seconds;
}

}  // namespace megascale::study
