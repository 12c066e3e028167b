#ifndef MEGASCALE_CLI_START_ROBUST_H_
#define MEGASCALE_CLI_START_ROBUST_H_

#include <cstdint>

#include "megascale/cli/command.h"

namespace megascale::cli {

// Runs a job that survives the loss of ranks (control::run_robust). The outcome is that of the last
// attempt, with the numbers of attempts and incidents. Call it before the process has other threads.
// Throws Error.
Outcome start_robust(const Config& config, std::uint32_t ranks);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_START_ROBUST_H_
