#ifndef MEGASCALE_OBSERVE_TIME_BY_OP_H_
#define MEGASCALE_OBSERVE_TIME_BY_OP_H_

#include <span>
#include <string>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// How long the tasks of one op kind took in a step, and at which rate.
struct OpTime {
  std::string op;
  std::size_t tasks = 0;
  double seconds = 0;
  double flops = 0;  // executed
};
// The compute lane's kinds, longest first; `idle` is the lane's time between its tasks.
struct TimeByOp {
  std::vector<OpTime> ops;
  double idle_seconds = 0;
};
[[nodiscard]] TimeByOp time_by_op(const plan::StepPlan& plan, std::span<const TaskRecord> records);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_TIME_BY_OP_H_
