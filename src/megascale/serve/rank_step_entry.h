#ifndef MEGASCALE_SERVE_RANK_STEP_ENTRY_H_
#define MEGASCALE_SERVE_RANK_STEP_ENTRY_H_

#include <vector>

#include "megascale/observe/rank_step.h"
#include "megascale/observe/worst_tasks.h"

namespace megascale::serve {

struct RankStepEntry {
  observe::RankStep numbers;
  std::vector<double> moving;  // seconds for which bytes moved, by communicator of the rank's plan
  std::vector<observe::WorstTask> worst;  // tasks that took most of the step, the worst first
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RANK_STEP_ENTRY_H_
