#include "megascale/observe/rank_transfers.h"

#include "megascale/plan/dump.h"

namespace megascale::observe {

RankTransfers transfers_of(const plan::StepPlan& plan, const plan::Binding& binding) {
  RankTransfers result;
  for (const plan::CommunicatorBinding& communicator : binding.communicators)
    result.keys.push_back(communicator.key);
  for_each_transfer(plan, [&](std::uint32_t task, std::size_t communicator, std::uint32_t number) {
    result.transfers.push_back(
        {.task = task,
         .communicator = static_cast<std::uint32_t>(communicator),
         .number = number,
         .takes_from_all = plan::takes_from_all(*plan.op(plan.tasks()[task]).def->transfer)});
  });
  return result;
}

}  // namespace megascale::observe
