#ifndef MEGASCALE_OBSERVE_BLAME_H_
#define MEGASCALE_OBSERVE_BLAME_H_

#include <span>

#include "megascale/base/task_record.h"
#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// Where the compute lane's time of one step went.
struct IdleTime {
  double exposed_comm_seconds = 0;  // transfers were moving
  double bubble_seconds = 0;        // a transfer's partner had not started
  double data_wait_seconds = 0;     // the batch was not there
};

// The blame rule: while the head of the compute lane waits, the wait that ended last is to blame.
// If that was a transfer: bubble until its slowest partner had started, exposed communication from
// there on; if it was a host-in task: data wait.
[[nodiscard]] IdleTime blame(const plan::StepPlan& plan, std::span<const TaskRecord> records);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_BLAME_H_
