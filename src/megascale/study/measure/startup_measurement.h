#ifndef MEGASCALE_STUDY_MEASURE_STARTUP_MEASUREMENT_H_
#define MEGASCALE_STUDY_MEASURE_STARTUP_MEASUREMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/study/measure/startup_processes.h"

// How long it takes until all ranks of a job can use their groups, by real connections to a store.
namespace megascale::study {

struct StartupOptions {
  std::uint32_t ranks = 2048;
  std::string store = "embedded";  // or redis: a server that is started for this
  std::string address;             // of a running store instead; empty: none
  std::uint32_t processes = 0;     // that share the ranks; 0: as many as cores, at most 8
  std::uint32_t repeat = 1;        // runs, of which the median counts
  std::size_t endpoint_bytes = 256;
};

// One start of a job.
struct StartupRun {
  std::uint32_t ranks = 0;
  StartupOrder order = StartupOrder::bootstrap;
  StartupFigures figures;
  double server_cpu_seconds = 0;  // 0 where the server is somebody else's
  double request_rate = 0;  // requests per second that the store answers when it is given many
  // The least time in which the store can answer this run's requests.
  [[nodiscard]] double floor_seconds() const noexcept;
};

[[nodiscard]] std::string_view name_of(StartupOrder order) noexcept;

// The run of median time, of options.repeat. Throws Error.
[[nodiscard]] StartupRun measure_startup(const StartupOptions& options, std::uint32_t ranks,
                                         StartupOrder order);

// The numbers of ranks at which growth is measured: powers of two times 64, up to `ranks`, or for
// the slow order up to an eighth of that; at least two of them.
[[nodiscard]] std::vector<std::uint32_t> ranks_of_growth(std::uint32_t ranks, StartupOrder order);

// How a quantity grows: the exponents k of ranks^k.
struct StartupGrowth {
  double seconds = 0, requests = 0;
};
[[nodiscard]] StartupGrowth growth_of(const std::vector<StartupRun>& runs);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_STARTUP_MEASUREMENT_H_
