#ifndef MEGASCALE_STUDY_MEASURE_STARTUP_PROCESSES_H_
#define MEGASCALE_STUDY_MEASURE_STARTUP_PROCESSES_H_

#include <cstdint>

#include "megascale/comm/store/store.h"
#include "megascale/graph/axis.h"
#include "megascale/launch/forked_processes.h"

// A job's start without its training: as many ranks as asked for, each with its own connection and
// bootstrap, driven by a few processes.
namespace megascale::study {

enum class StartupOrder : std::uint8_t { bootstrap, barrier_per_group };

struct StartupJob {
  std::uint32_t ranks = 0;
  std::uint32_t processes = 1;
  StartupOrder order = StartupOrder::bootstrap;
  std::size_t endpoint_nbytes = 0;  // of every rank
  comm::StoreOptions store;
  std::chrono::milliseconds timeout{600'000};
};

struct StartupFigures {
  double seconds = 0;        // from the start signal until the last rank can use all its groups
  comm::StoreCounts counts;  // of all ranks
  std::uint64_t global_barriers = 0;
  double client_cpu_seconds = 0;
};

// The grid of the 175B model of MegaScale (tensor 8, pipeline 8, data the rest) on `ranks` ranks;
// fewer than 64 take the powers of two that divide them.
[[nodiscard]] graph::AxisSizes startup_grid(std::uint32_t ranks);

// The first of the ranks that process `index` of a job drives; of index `processes` the number of
// ranks. Shares differ by one rank at most, the larger ones come first.
[[nodiscard]] std::uint32_t first_rank_of_share(const StartupJob& job,
                                                std::uint32_t index) noexcept;

// The processes of the ranks. The constructor forks them, so call it before the process has
// threads; they wait for run().
class StartupProcesses {
 public:
  explicit StartupProcesses(const StartupJob& job);
  // Starts all ranks at once and waits for them. Throws the Error of the first rank that failed.
  StartupFigures run();

 private:
  launch::ForkedWorkers workers_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_STARTUP_PROCESSES_H_
