#ifndef MEGASCALE_SERVE_RANK_STEP_ENTRY_H_
#define MEGASCALE_SERVE_RANK_STEP_ENTRY_H_

#include <vector>

#include "megascale/observe/rank_step.h"

namespace megascale::serve {

struct RankStepEntry {
  observe::RankStep numbers;
  std::vector<double> moving;  // seconds for which bytes moved, by communicator of the rank's plan
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RANK_STEP_ENTRY_H_
