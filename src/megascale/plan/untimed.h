#ifndef MEGASCALE_PLAN_UNTIMED_H_
#define MEGASCALE_PLAN_UNTIMED_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/plan/verify.h"

// Executes plans without durations to find deadlocks before anything is launched.
namespace megascale::plan {

// A task at the head of its lane that can never start or can never finish.
struct StuckTask {
  std::size_t rank_index = 0;  // index in the given ranks
  std::uint32_t task = 0;
  std::string reason;
};

// Executes the plans of all ranks. A task starts as soon as its lane and its waits allow; a
// transfer is done once every member of its communicator has started it. Returns the tasks that are
// stuck at the end; empty if everything completes. Transfers match by (communicator, sequence
// number) and never by timing. So one execution that completes proves that every timing completes.
std::vector<StuckTask> run_untimed(std::span<const RankPlan> ranks);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_UNTIMED_H_
