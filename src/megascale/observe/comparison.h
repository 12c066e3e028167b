#ifndef MEGASCALE_OBSERVE_COMPARISON_H_
#define MEGASCALE_OBSERVE_COMPARISON_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/observe/run_records.h"
#include "megascale/plan/step_plan.h"

// What was predicted for a step beside what was measured.
namespace megascale::observe {

// Where the time of a step went; means over ranks. Seconds.
struct StepTimes {
  double step = 0;
  // Of the compute lane: its tasks; transfers were moving; a partner had not come; the batch was
  // not there; whatever else.
  double compute = 0, exposed_comm = 0, bubble = 0, data_wait = 0, other = 0;
  // The tasks of each kind: of computation from start to end, of transfers from the start of their
  // last partner to the end.
  std::map<std::string, double> by_op;

  // For other ranks, of the step.
  [[nodiscard]] double waits_share() const noexcept { return (exposed_comm + bubble) / step; }
};

// Of one rank. `seconds`: of its step.
[[nodiscard]] StepTimes step_times(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                                   double seconds);
[[nodiscard]] StepTimes mean(std::span<const StepTimes> ranks);
// By number: the median over the steps.
[[nodiscard]] StepTimes median(std::span<const StepTimes> steps);

// Of a run: the step is rank 0's where it is there, the times are means over the ranks, each number
// is the median over the last `last` steps (0: all).
[[nodiscard]] StepTimes measured_times(const RunRecords& run,
                                       std::span<const std::shared_ptr<const plan::StepPlan>> plans,
                                       std::size_t last = 0);

struct Difference {
  std::string name;
  double predicted = 0, measured = 0;
  [[nodiscard]] double seconds() const noexcept { return predicted - measured; }
};
// By op kind, the largest first.
[[nodiscard]] std::vector<Difference> differences_by_op(const StepTimes& predicted,
                                                        const StepTimes& measured);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_COMPARISON_H_
