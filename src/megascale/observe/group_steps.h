#ifndef MEGASCALE_OBSERVE_GROUP_STEPS_H_
#define MEGASCALE_OBSERVE_GROUP_STEPS_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/observe/stragglers.h"
#include "megascale/plan/verify.h"

namespace megascale::observe {

// Adds the time for which bytes moved in the transfers of a step to `seconds`, which has one number
// for each communicator of the plan. `records` has one record for each task. Pure.
void add_moving_seconds(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                        std::span<double> seconds);

// Collects those times of all ranks by group: the mean over the members that were added.
// Communicators of equal names whose first members do the same work are of one kind.
class GroupCollector {
 public:
  explicit GroupCollector(std::size_t steps) : steps_(steps) {}
  // `moving`: the times of each step, by communicator. `work`: RankSteps::work.
  void add(const plan::StepPlan& plan, const plan::Binding& binding, std::string_view work,
           std::span<const std::span<const double>> moving);
  [[nodiscard]] std::vector<GroupSteps> take() &&;

 private:
  struct Group {
    GroupSteps sums;
    double members = 0;  // that were added
  };
  std::size_t steps_;
  std::map<std::string, Group> groups_;  // by key
};

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_GROUP_STEPS_H_
