#ifndef MEGASCALE_OBSERVE_TRACE_H_
#define MEGASCALE_OBSERVE_TRACE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Records that a run left behind, as a trace that Perfetto and chrome://tracing open. Reads files
// only: the run may be going on, finished or dead.
namespace megascale::observe {

struct TraceSummary {
  std::filesystem::path output;
  std::vector<std::int64_t> steps;  // that the ring holds, oldest first; unfinished ones included
  std::size_t events = 0;
  std::optional<std::int64_t> unfinished_step;
  std::string last_task;  // of the unfinished step: the last one that was done
};

// Writes the kept steps of a rank, or only `step`, to `output` (Trace Event Format: one thread per
// lane, flow arrows from the task that a wait ended with). Throws Error (bad_input) where the files
// are missing, malformed or of another plan.
TraceSummary write_trace(const std::filesystem::path& run_dir, std::int64_t rank,
                         std::optional<std::int64_t> step, const std::filesystem::path& output);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_TRACE_H_
