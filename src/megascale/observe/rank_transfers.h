#ifndef MEGASCALE_OBSERVE_RANK_TRANSFERS_H_
#define MEGASCALE_OBSERVE_RANK_TRANSFERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "megascale/plan/verify.h"

namespace megascale::observe {

// One transfer of a rank in every step. The n-th transfer of a member on a communicator matches the
// n-th of every other member.
struct RankTransfer {
  std::uint32_t task = 0;
  std::uint32_t communicator = 0;  // of the rank's plan
  std::uint32_t number = 0;        // among the transfers of the communicator, from 0
  bool takes_from_all = false;     // plan::takes_from_all()
};
// The transfers of a rank, and the names of its communicators in the job.
struct RankTransfers {
  std::vector<RankTransfer> transfers;  // by task
  std::vector<std::string> keys;        // by communicator: equal on all members
};
// Calls `visit(task, communicator, number)` for every transfer of the plan, by task.
template <class Visit>
void for_each_transfer(const plan::StepPlan& plan, Visit visit) {
  std::vector<std::uint32_t> numbers(plan.communicators().size(), 0);
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const plan::PlanOp& op = plan.op(plan.tasks()[id]);
    if (op.def->transfer == nullptr) continue;
    const std::size_t communicator = plan::index(op.communicator);
    visit(id, communicator, numbers[communicator]++);
  }
}
// Returns the transfers of the plan, for the rank of the binding. Pure.
[[nodiscard]] RankTransfers transfers_of(const plan::StepPlan& plan, const plan::Binding& binding);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RANK_TRANSFERS_H_
