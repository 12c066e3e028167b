#ifndef MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_
#define MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_

#include <string>

#include "megascale/parallel/replay.h"
#include "megascale/parallel/schedule.h"

// Draws a schedule over time as papers do: a row per stage, a cell per item. `replay` must be the
// replay of `schedule`. All functions are pure.
namespace megascale::parallel {

// Draws with characters. Each item begins at its start time with |F3, or |F3/1 with several chunks;
// its width is proportional to its duration. Dots are idle time. A row ends with the stage's idle
// share and its peak of micro-batches in flight. The unit of width is the greatest common divisor
// of all starts and ends. Choose small durations: if the times have no large common divisor, the
// rows are very wide.
//
//   1f1b: 2 stages, 2 micro-batches, makespan 9, idle 33.3 %
//   stage 0 |F0|F1|.....|B0   |..|B1   |  idle 33.3 %, 2 in flight
//   stage 1 |..|F0|B0   |F1|B1   |.....|  idle 33.3 %, 1 in flight
[[nodiscard]] std::string draw_text(const Schedule& schedule, const Replay& replay);

// Draws a self-contained SVG document, at most about 4,000 pixels wide. Forwards are blue,
// backwards green, weight gradients orange; later chunks are paler. A cell shows its micro-batch if
// there is room for it, and its item and times in a tooltip.
[[nodiscard]] std::string draw_svg(const Schedule& schedule, const Replay& replay);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_
