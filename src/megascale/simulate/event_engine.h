#ifndef MEGASCALE_SIMULATE_EVENT_ENGINE_H_
#define MEGASCALE_SIMULATE_EVENT_ENGINE_H_

#include <cstdint>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/simulate/jitter.h"
#include "megascale/simulate/job.h"

// Executes a job's plans in simulated time, with the lane runner's semantics and nothing added:
//   a task starts when the task before it on its lane and all its waits are done;
//   a transfer's bytes flow once every partner has started it, and it is done for all at once;
//   a step starts on a rank when its lanes are empty, carried tasks excepted; no barrier between
//   ranks.
// What runs at once shares what it needs: n transfers on a link of a rank get 1/n of it each, a
// transfer goes as fast as its slowest member lets it, and the processor's share of the transfers
// under way is missing to the rank's computation. Between two events all rates are constant, so
// times are exact but for rounding. Deterministic: random numbers are jitter's alone, which is
// seeded, and the number of threads changes nothing. Ranks of different nodes are simulated side by
// side (islands.h).
namespace megascale::simulate {

struct SimulationOptions {
  std::uint32_t steps = 3;  // in a row, at least 1; the last one is recorded
  // Indices into Job::ranks: whose records are kept (40 bytes a task).
  std::vector<std::uint32_t> recorded_ranks;
  std::uint32_t threads = 1;  // at most
  Jitter jitter;              // makes ranks differ: a rank of the job stands for itself alone
};

struct Simulation {
  std::vector<double> step_ends;  // by step: when its last rank was done, seconds
  // By SimulationOptions::recorded_ranks, then by task of the plan: the last step, in nanoseconds
  // since the start.
  std::vector<std::vector<TaskRecord>> records;
  std::uint64_t tasks = 0;  // executed
  // From the end of the step before, or from the start, to its own.
  [[nodiscard]] double seconds_of(std::size_t step) const noexcept {
    return step == 0 ? step_ends[0] : step_ends[step] - step_ends[step - 1];
  }
  [[nodiscard]] double step_seconds() const noexcept { return seconds_of(step_ends.size() - 1); }
};

// `job` holds proven plans, so every timing completes.
[[nodiscard]] Simulation simulate(const Job& job, const SimulationOptions& options = {});

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_EVENT_ENGINE_H_
