#ifndef MEGASCALE_SERVE_TIMELINE_H_
#define MEGASCALE_SERVE_TIMELINE_H_

#include <nlohmann/json.hpp>
#include <vector>

#include "megascale/base/run_directory.h"
#include "megascale/serve/job_works.h"

namespace megascale::serve {

// RunView::timeline(). Times are nanoseconds from the earliest begin of the step, on the clock of the first
// rank; "clocks" tells by how much those of other hosts may be wrong (observe/clock_fit.h). For
// each rank and lane, arrays with one entry for each task: id, head, start, matched (partners there), end,
// awaited (the task whose end the task waited for; -1: none). Names are listed once for each plan. Throws
// Error (bad_usage) if a rank has no such step, or if the answer would hold more than kMostTasks.
inline constexpr std::size_t kMostTasks = 400'000;
[[nodiscard]] nlohmann::ordered_json step_timeline(const RunDirectory& run, const JobWorks& works,
                                                   const std::vector<std::uint32_t>& ranks,
                                                   std::int64_t step);

// RunView::memory(). Bytes by category of one rank in one step (-1: the newest), at most `points` times in ns
// from the begin of the step (observe/memory_over_time.h). Throws as above.
[[nodiscard]] nlohmann::ordered_json step_memory(const RunDirectory& run, const JobWorks& works,
                                                 std::uint32_t rank, std::int64_t step,
                                                 std::size_t points);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_TIMELINE_H_
