#ifndef MEGASCALE_CLI_START_RANKS_H_
#define MEGASCALE_CLI_START_RANKS_H_

#include <cstdint>

#include "megascale/cli/command.h"

namespace megascale::cli {

// launch::run_rank_processes: runs this command line as the ranks of a job. The outcome is that of
// the first rank that failed.
Outcome start_ranks(std::uint32_t ranks);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_START_RANKS_H_
