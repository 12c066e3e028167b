#ifndef MEGASCALE_CLI_STARTUP_PROCESSES_H_
#define MEGASCALE_CLI_STARTUP_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/comm/store/store.h"
#include "megascale/graph/axis.h"

// A job's start without its training: as many ranks as asked for, each with its own connection and
// bootstrap, driven by a few processes.
namespace megascale::cli {

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

// The ranks' processes. They are forked by the constructor, before the caller has any threads, and
// wait for run().
class StartupProcesses {
 public:
  explicit StartupProcesses(const StartupJob& job);
  StartupProcesses(const StartupProcesses&) = delete;
  StartupProcesses& operator=(const StartupProcesses&) = delete;
  // Kills and reaps what is left of them.
  ~StartupProcesses();
  // Starts all ranks at once and waits for them. Throws the first rank's Error.
  StartupFigures run();

 private:
  struct Child;
  std::vector<Child> children_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_STARTUP_PROCESSES_H_
