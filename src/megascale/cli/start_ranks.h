#ifndef MEGASCALE_CLI_START_RANKS_H_
#define MEGASCALE_CLI_START_RANKS_H_

#include <cstdint>

#include "megascale/cli/command.h"

namespace megascale::cli {

// Starts this program again with the same command line, once for each rank of a job on this host
// (launch::run_rank_processes), and waits for all ranks. Returns the outcome of the first rank that
// failed, or success. Call it before the process has other threads. Throws Error.
Outcome start_ranks(std::uint32_t ranks);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_START_RANKS_H_
