#ifndef MEGASCALE_OBSERVE_TRACE_H_
#define MEGASCALE_OBSERVE_TRACE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Exports the records of a run as a trace that Perfetto can open. Only files
// are read, so the run may still be going on, be finished, or have crashed.
namespace megascale::observe {

struct TraceOptions {
  std::optional<std::int64_t> rank;  // empty: all ranks that have a ring
  std::optional<std::int64_t> step;  // empty: all recorded steps
};

struct TraceSummary {
  std::vector<std::int64_t> ranks;  // in the trace, ascending
  // Steps in the trace, oldest first, unfinished ones included.
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> other_steps;  // recorded, but left out by TraceOptions::step
  std::size_t events = 0;                 // events in the trace
  // The steps in the trace that have not ended, and the task of each that was done last.
  struct Unfinished {
    std::int64_t rank = 0, step = 0;
    std::string last_task;
  };
  std::vector<Unfinished> unfinished;
  std::size_t hosts = 0;
  // The largest error of a host's times; nothing if no transfer tells.
  std::optional<std::int64_t> clock_uncertainty_ns;
};

// Writes recorded steps to the file `output` in the Trace Event Format: one process per rank, one
// thread per lane, and an arrow from the task that satisfied a wait last to the task that waited.
// Times are of the first rank's clock: those of other hosts are corrected so that no transfer is seen
// before its start (clock_fit.h). "otherData" states offsets and uncertainty. A transfer names its
// group and its number there, which its members share. Throws Error: bad_input if a file is malformed or belongs to another
// plan, or if the step has no records; io if a file is missing.
TraceSummary write_trace(const std::filesystem::path& run_dir, const TraceOptions& options,
                         const std::filesystem::path& output);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_TRACE_H_
