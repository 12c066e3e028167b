#ifndef MEGASCALE_OBSERVE_GROUP_STEPS_H_
#define MEGASCALE_OBSERVE_GROUP_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
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

// The groups and pairs of ranks of a job, each once, and which of them a rank's communicators are. A
// job of n ranks has groups of up to n members, so their members are listed once and not for every
// rank. Immutable, so any thread may read it.
class GroupIndex {
 public:
  struct Group {
    std::string name;                    // of the communicator
    std::vector<std::uint32_t> members;  // ranks, in group order
    double bytes = 0;                    // GroupSteps::bytes
  };
  // Returns the group of a rank's communicator, counted as in the rank's plan.
  using BindCommunicator =
      std::function<plan::CommunicatorBinding(std::uint32_t rank, std::size_t communicator)>;
  // `plan_of` holds the plan of every rank of the job. `bind` is called once for each group.
  GroupIndex(std::span<const plan::StepPlan* const> plan_of, const BindCommunicator& bind);

  [[nodiscard]] const std::vector<Group>& groups() const noexcept { return groups_; }
  // Returns the index in groups() of each communicator of the rank's plan.
  [[nodiscard]] std::span<const std::uint32_t> groups_of(std::uint32_t rank) const {
    return of_rank_[rank];
  }

 private:
  std::vector<Group> groups_;
  std::vector<std::vector<std::uint32_t>> of_rank_;
};

// Collects those times of all ranks by group: the mean over the members that were added.
// Communicators of equal names whose first members do the same work are of one kind.
class GroupCollector {
 public:
  // `steps`: that are judged; `before`: that come before them (GroupSteps::before). `index` must outlive it.
  GroupCollector(const GroupIndex& index, std::size_t steps, std::size_t before = 0)
      : index_(&index), before_(before), steps_(before + steps), sums_(index.groups().size()) {}
  // `moving`: the times of each step (first those before), by communicator. `core_waits`:
  // RankStep::transfer_core_wait of these steps; may be empty. `work`: RankSteps::work.
  void add(std::uint32_t rank, std::string_view work,
           std::span<const std::span<const double>> moving,
           std::span<const double> core_waits = {});
  // Returns the groups of which a member was added.
  [[nodiscard]] std::vector<GroupSteps> take() &&;

 private:
  struct Sums {
    std::string kind;
    std::vector<double> moving_seconds, core_waits;
    double members = 0;  // that were added
  };
  const GroupIndex* index_;
  std::size_t before_, steps_;  // steps_: of both
  std::vector<Sums> sums_;      // by GroupIndex::groups()
};

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_GROUP_STEPS_H_
