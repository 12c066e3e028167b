#ifndef MEGASCALE_OBSERVE_COMPARISON_H_
#define MEGASCALE_OBSERVE_COMPARISON_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/observe/lane_order.h"
#include "megascale/observe/run_records.h"
#include "megascale/plan/step_plan.h"

// Compares the predicted times of a step with the measured ones (`megascale simulate --compare`).
// Both are reduced to the same numbers, because both consist of task records. All functions are
// pure.
namespace megascale::observe {

// How the time of a step was used. Seconds; means over the ranks.
struct StepTimes {
  double step = 0;
  // Time of the compute lane: its tasks; waiting while transfers moved bytes; waiting for a partner
  // to start; waiting for the batch; everything else.
  double compute = 0, exposed_comm = 0, bubble = 0, data_wait = 0, other = 0;
  // Summed time of the tasks of each op kind. Computation counts from its start to its end, a
  // transfer from the start of its last partner to its end.
  std::map<std::string, double> by_op;

  // The share of the step in which the compute lane waits for other ranks.
  [[nodiscard]] double waits_share() const noexcept { return (exposed_comm + bubble) / step; }
};

// The times of one rank in one step, which took `seconds`. `records` has one record for each task
// of the plan.
[[nodiscard]] StepTimes step_times(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                                   double seconds);
// The same for a caller that has many steps of one plan.
[[nodiscard]] StepTimes step_times(const LaneOrder& order, std::span<const TaskRecord> records,
                                   double seconds);
// The mean over ranks, for each number separately. `ranks` must not be empty.
[[nodiscard]] StepTimes mean(std::span<const StepTimes> ranks);
// The median over steps, for each number separately; of an even number the upper one. `steps` must
// not be empty.
[[nodiscard]] StepTimes median(std::span<const StepTimes> steps);

// The times of a run: means over the ranks, then for each number the median over the last `last`
// steps (0: all). The length of a step is that of the first rank whose records exist. `plans` holds
// the plan of each rank of the job.
[[nodiscard]] StepTimes measured_times(const RunRecords& run,
                                       std::span<const std::shared_ptr<const plan::StepPlan>> plans,
                                       std::size_t last = 0);

// The predicted and the measured time of an op kind.
struct Difference {
  std::string name;
  double predicted = 0, measured = 0;
  [[nodiscard]] double seconds() const noexcept { return predicted - measured; }
};
// The differences of all op kinds, sorted by their absolute value, largest first.
[[nodiscard]] std::vector<Difference> differences_by_op(const StepTimes& predicted,
                                                        const StepTimes& measured);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_COMPARISON_H_
