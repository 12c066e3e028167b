#ifndef MEGASCALE_OBSERVE_TRACE_H_
#define MEGASCALE_OBSERVE_TRACE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Exports the records of a run as a trace that Perfetto and chrome://tracing can open. Only files
// are read, so the run may still be going on, be finished, or have crashed.
namespace megascale::observe {

struct TraceSummary {
  std::filesystem::path output;
  // Steps that have records, oldest first, unfinished ones included.
  std::vector<std::int64_t> steps;
  std::size_t events = 0;                       // events in the trace
  std::optional<std::int64_t> unfinished_step;  // a step that has not ended, if there is one
  std::string last_task;  // the task of the unfinished step that was done last
};

// Writes the recorded steps of rank `rank`, or only `step`, to the file `output`. The format is
// the Trace Event Format: one thread per lane, and an arrow from the task that satisfied a wait
// last to the task that waited. Throws Error: bad_input if a file is malformed or belongs to
// another plan, or if `step` has no records; io if a file is missing.
TraceSummary write_trace(const std::filesystem::path& run_dir, std::int64_t rank,
                         std::optional<std::int64_t> step, const std::filesystem::path& output);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_TRACE_H_
