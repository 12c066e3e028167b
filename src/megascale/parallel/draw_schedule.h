#ifndef MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_
#define MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_

#include <string>

#include "megascale/parallel/replay.h"
#include "megascale/parallel/schedule.h"

// Pictures of a schedule over time, as in the papers: a row per stage, a cell per item. `replay` is
// that of `schedule`.
namespace megascale::parallel {

// Every item as |F3, from its start, as wide as it is long; with several chunks |F3/1. Idle time is
// dots. A row ends with the idle share of the stage and its peak of micro-batches in flight. One
// column group is the greatest time that divides all starts and ends: choose small durations.
//
//   1f1b: 2 stages, 2 micro-batches, makespan 9, idle 33.3 %
//   stage 0 |F0|F1|.....|B0   |..|B1   |  idle 33.3 %, 2 in flight
//   stage 1 |..|F0|B0   |F1|B1   |.....|  idle 33.3 %, 1 in flight
[[nodiscard]] std::string draw_text(const Schedule& schedule, const Replay& replay);

// The same as a self-contained SVG document, at most about 4,000 pixels wide: forwards blue,
// backwards green, weight gradients orange, later chunks paler. A cell shows its micro-batch where
// that fits, and its item and times when pointed at.
[[nodiscard]] std::string draw_svg(const Schedule& schedule, const Replay& replay);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_
