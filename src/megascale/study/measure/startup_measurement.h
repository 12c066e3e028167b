#ifndef MEGASCALE_STUDY_MEASURE_STARTUP_MEASUREMENT_H_
#define MEGASCALE_STUDY_MEASURE_STARTUP_MEASUREMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/study/measure/startup_processes.h"

// Measures how long a job needs to start: until every rank knows the endpoints of all members of
// its groups (`megascale bench startup`). Each rank has a real connection to a real store. A few
// processes stand in for all ranks.
namespace megascale::study {

// The job to start, and the store to start it with.
struct StartupOptions {
  std::uint32_t ranks = 2048;
  std::string store = "embedded";    // or "redis": a server that the measurement starts
  std::string address;               // address of a running store to use instead; empty: none
  std::uint32_t processes = 0;       // processes that share the ranks; 0: one per core, at most 8
  std::uint32_t repeat = 1;          // runs; the run of median time is reported
  std::size_t endpoint_bytes = 256;  // bytes of the endpoint that each rank publishes
};

// One measured start of a job.
struct StartupRun {
  std::uint32_t ranks = 0;
  StartupOrder order = StartupOrder::bootstrap;
  StartupFigures figures;
  double server_cpu_seconds = 0;  // of the store's server; 0 if this program did not start it
  double request_rate = 0;  // requests per second that the store answers if it always has some
  // Returns the least time in which the store can answer the requests of this run.
  [[nodiscard]] double floor_seconds() const noexcept;
};

// Returns the name of a start-up method, for reports.
[[nodiscard]] std::string_view name_of(StartupOrder order) noexcept;

// Starts a job of `ranks` ranks options.repeat times and returns the run of median time. Forks
// processes, so the caller must not have other threads. Throws Error.
[[nodiscard]] StartupRun measure_startup(const StartupOptions& options, std::uint32_t ranks,
                                         StartupOrder order);

// Returns the numbers of ranks at which growth is measured: 64, 128, 256, ... up to `ranks`. For
// barrier_per_group, which is slow, they end at an eighth of `ranks`. There are at least two.
[[nodiscard]] std::vector<std::uint32_t> ranks_of_growth(std::uint32_t ranks, StartupOrder order);

// How time and number of requests grow with the number of ranks: the exponents k of ranks^k.
struct StartupGrowth {
  double seconds = 0, requests = 0;
};
// Fits the exponents to runs with at least two numbers of ranks.
[[nodiscard]] StartupGrowth growth_of(const std::vector<StartupRun>& runs);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_STARTUP_MEASUREMENT_H_
