#ifndef MEGASCALE_LAUNCH_RANK_PROCESSES_H_
#define MEGASCALE_LAUNCH_RANK_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <string>

// Starts a job with one process per rank on this host, for example for
// `megascale train CONFIG --ranks N --processes`.
namespace megascale::launch {

// How the processes of a job ended.
struct RanksEnd {
  // 0: all ranks succeeded; 2: bad usage or configuration; 130: SIGINT has ended a rank; 1: other
  // failures
  int exit_code = 0;
  std::string error;              // names the first rank that failed; empty: none did
  bool first_rank_exited = true;  // rank 0 ended without a signal, so it has printed its results
};

// Starts this process's own command line `ranks` times, as the ranks of one job, and waits for all
// of them. The rendezvous store of the job runs in this process.
//
// Signals: SIGTERM, SIGINT and SIGHUP are passed on to the ranks as SIGTERM. A second SIGINT kills
// the ranks. A SIGHUP that is ignored at the call stays ignored. The signals stay blocked after the
// call, so that one that comes late does not replace the exit code.
// Failures: after a rank has failed, the others have a few seconds to report their errors and exit.
// A rank that has not exited by then is killed. No rank outlives this process.
// `on_message` gets lines for the user. Call it before the process has other threads. Throws Error:
// unsupported if the binary was built without UCX; io.
[[nodiscard]] RanksEnd run_rank_processes(
    std::uint32_t ranks, const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_RANK_PROCESSES_H_
