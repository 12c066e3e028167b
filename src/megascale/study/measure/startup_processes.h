#ifndef MEGASCALE_STUDY_MEASURE_STARTUP_PROCESSES_H_
#define MEGASCALE_STUDY_MEASURE_STARTUP_PROCESSES_H_

#include <cstdint>

#include "megascale/comm/store/store.h"
#include "megascale/graph/axis.h"
#include "megascale/launch/forked_processes.h"

// The start-up of a job without its training. Each rank has its own connection to the store and its
// own start-up object. A few processes drive all ranks, since thousands of processes would not fit
// on one machine.
namespace megascale::study {

// The method: Bootstrap, or BarrierPerGroup, which it replaced (comm/bootstrap).
enum class StartupOrder : std::uint8_t { bootstrap, barrier_per_group };

// The job to start.
struct StartupJob {
  std::uint32_t ranks = 0;
  std::uint32_t processes = 1;
  StartupOrder order = StartupOrder::bootstrap;
  std::size_t endpoint_nbytes = 0;  // bytes of each rank's endpoint
  comm::StoreOptions store;
  std::chrono::milliseconds timeout{600'000};  // of a rank's start-up
};

// Measurements of one start, over all ranks.
struct StartupFigures {
  double seconds = 0;        // from the start signal until the last rank can use all its groups
  comm::StoreCounts counts;  // requests and bytes of all ranks
  std::uint64_t global_barriers = 0;  // barriers of all ranks that a rank went through
  double client_cpu_seconds = 0;      // of the processes that drive the ranks
};

// Returns the grid of MegaScale's 175B model on `ranks` ranks: tensor 8, pipeline 8, data the rest.
// If 8 does not divide, the largest smaller power of two that does is used.
[[nodiscard]] graph::AxisSizes startup_grid(std::uint32_t ranks);

// Returns the first rank that process number `index` drives. For index = processes it returns the
// number of ranks. The processes' shares differ by one rank at most, larger shares first.
[[nodiscard]] std::uint32_t first_rank_of_share(const StartupJob& job,
                                                std::uint32_t index) noexcept;

// The processes that drive the ranks. The constructor forks them, so it must run before this
// process has other threads. They prepare themselves and wait for run().
class StartupProcesses {
 public:
  explicit StartupProcesses(const StartupJob& job);
  // Starts all ranks at once, waits until all groups are usable, and returns the sums. Call it
  // once. Throws the Error of the first rank that failed.
  StartupFigures run();

 private:
  launch::ForkedWorkers workers_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_STARTUP_PROCESSES_H_
