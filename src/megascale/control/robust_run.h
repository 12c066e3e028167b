#ifndef MEGASCALE_CONTROL_ROBUST_RUN_H_
#define MEGASCALE_CONTROL_ROBUST_RUN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/control/driver_settings.h"

namespace megascale::control {

struct RobustEnd {
  std::int32_t exit_code = 0;
  std::string error;                         // empty: none
  std::string output;                        // the last line of rank 0's stdout
  std::int64_t attempts = 0, incidents = 0;  // of this session
};

// Returns the settings of [control] for a job of `ranks` ranks, which all have the command line
// `arguments`.
[[nodiscard]] DriverSettings driver_settings(const Config& config, std::uint32_t ranks,
                                             std::vector<std::string> arguments);

// Runs a job on this host that survives the loss of ranks: the executor runs in this process, the
// driver in a child, and every rank is a process with this process's own command line. Returns when
// the job has ended. SIGINT, SIGTERM and SIGHUP stop it as they stop `train`; they stay blocked.
// Call it before the process has other threads. Throws Error: failed if another process runs a job
// in the same run directory, unsupported without UCX, io.
[[nodiscard]] RobustEnd run_robust(const Config& config, std::uint32_t ranks,
                                   const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_ROBUST_RUN_H_
