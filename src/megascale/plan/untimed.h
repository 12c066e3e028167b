#ifndef MEGASCALE_PLAN_UNTIMED_H_
#define MEGASCALE_PLAN_UNTIMED_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/plan/verify.h"

namespace megascale::plan {

// A task at the head of its lane that can never start or never finish.
struct StuckTask {
  std::size_t rank_index = 0;  // into the ranks given
  std::uint32_t task = 0;
  std::string reason;
};

// Executes all plans without durations: a task starts when its lane and waits allow it, a transfer
// is done once every member of its communicator has started it. Empty if everything completes. As
// transfers match by (communicator, sequence number) and never by timing, one execution that
// completes proves that all complete.
std::vector<StuckTask> run_untimed(std::span<const RankPlan> ranks);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_UNTIMED_H_
