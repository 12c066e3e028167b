#include "megascale/observe/group_steps.h"

#include <utility>

namespace megascale::observe {

void add_moving_seconds(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                        std::span<double> seconds) {
  for (std::size_t id = 0; id < records.size(); ++id) {
    const plan::PlanOp& op = plan.op(plan.tasks()[id]);
    if (op.def->transfer == nullptr || records[id].done_ns == 0) continue;
    seconds[plan::index(op.communicator)] +=
        1e-9 * static_cast<double>(records[id].done_ns - moving_since(records[id]));
  }
}

void GroupCollector::add(const plan::StepPlan& plan, const plan::Binding& binding,
                         std::string_view work, std::span<const std::span<const double>> moving) {
  for (std::size_t c = 0; c < plan.communicators().size(); ++c) {
    Group& group = groups_[binding.communicators[c].key];
    if (group.members == 0) {
      group.sums = {.kind = std::string(work) + "/" + plan.communicators()[c].name,
                    .members = binding.communicators[c].members,
                    .moving_seconds = std::vector<double>(steps_, 0.0)};
    }
    for (std::size_t s = 0; s < steps_; ++s) group.sums.moving_seconds[s] += moving[s][c];
    ++group.members;
  }
}

std::vector<GroupSteps> GroupCollector::take() && {
  std::vector<GroupSteps> result;
  for (auto& [key, group] : groups_) {
    for (double& seconds : group.sums.moving_seconds) seconds /= group.members;
    result.push_back(std::move(group.sums));
  }
  return result;
}

}  // namespace megascale::observe
