#ifndef MEGASCALE_CLI_RANK_PROCESSES_H_
#define MEGASCALE_CLI_RANK_PROCESSES_H_

#include <cstdint>

#include "megascale/cli/command.h"

namespace megascale::cli {

// Runs this very command line `ranks` times as the ranks of one job on this host, and waits for
// all. SIGTERM and SIGINT are passed on as SIGTERM. Once a rank has failed the others have some
// seconds to say what they make of it; who has not ended then, because it is stopped say, is
// killed. No rank outlives this process. The outcome is that of the first rank that failed. Call
// before the process has other threads. Throws Error (unsupported: built without UCX; io).
Outcome run_rank_processes(std::uint32_t ranks);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_RANK_PROCESSES_H_
