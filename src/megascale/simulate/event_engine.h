#ifndef MEGASCALE_SIMULATE_EVENT_ENGINE_H_
#define MEGASCALE_SIMULATE_EVENT_ENGINE_H_

#include <cstdint>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/simulate/jitter.h"
#include "megascale/simulate/job.h"

// Executes the plans of a job in simulated time, with exactly the semantics of the lane runner:
//   a task starts when the task before it on its lane and all its waits are done;
//   the bytes of a transfer flow once every partner has started it, and it ends for all members
//   at the same time;
//   a step starts on a rank when its lanes are empty, except for carried tasks; there is no
//   barrier between ranks.
// Activities that run at the same time share resources. Each of n transfers on a link of a rank
// gets 1/n of it; a transfer is as fast as its slowest member. Transfers that are under way take
// their share of the processor from the rank's computation. Rates are constant between two events,
// so times are exact except for rounding.
//
// The result is deterministic: jitter is the only random part, and it is seeded. The number of
// threads changes nothing. Ranks of different islands (islands.h) are simulated in parallel.
namespace megascale::simulate {

struct SimulationOptions {
  std::uint32_t steps = 3;  // consecutive steps, at least 1; the last one is recorded
  // Ranks whose records are kept, as indices into Job::ranks. A record takes 40 bytes a task.
  std::vector<std::uint32_t> recorded_ranks;
  std::uint32_t threads = 1;  // upper bound of threads; few islands use fewer
  // Jitter makes equal ranks differ. A rank of the job then represents only itself.
  Jitter jitter;
};

struct Simulation {
  std::vector<double> step_ends;  // for each step: seconds until its last rank was done
  // Records of the last step, for each recorded rank and each task of its plan. Nanoseconds since
  // the start.
  std::vector<std::vector<TaskRecord>> records;
  std::uint64_t tasks = 0;  // tasks executed, over all ranks and steps
  // Returns the seconds from the end of the previous step (or the start) to the end of this step.
  [[nodiscard]] double seconds_of(std::size_t step) const noexcept {
    return step == 0 ? step_ends[0] : step_ends[step] - step_ends[step - 1];
  }
  // Returns the seconds of the last step.
  [[nodiscard]] double step_seconds() const noexcept { return seconds_of(step_ends.size() - 1); }
};

// Simulates a job. Its plans are verified, so every timing completes. Creates its own threads.
[[nodiscard]] Simulation simulate(const Job& job, const SimulationOptions& options = {});

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_EVENT_ENGINE_H_
