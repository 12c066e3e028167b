#ifndef MEGASCALE_OBSERVE_TIME_BY_OP_H_
#define MEGASCALE_OBSERVE_TIME_BY_OP_H_

#include <span>
#include <string>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// The time that the tasks of one op kind took in a step, and their FLOPs.
struct OpTime {
  std::string op;
  std::size_t tasks = 0;
  double seconds = 0;
  double flops = 0;  // executed, recomputation included
};
// The op kinds of the compute lane, longest first. `idle_seconds` is the time between its tasks.
struct TimeByOp {
  std::vector<OpTime> ops;
  double idle_seconds = 0;
};
// Sums the records of one step. `records` has one record for each task of the plan. Pure.
[[nodiscard]] TimeByOp time_by_op(const plan::StepPlan& plan, std::span<const TaskRecord> records);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_TIME_BY_OP_H_
