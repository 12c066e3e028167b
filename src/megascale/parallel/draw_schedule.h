#ifndef MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_
#define MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_

#include <string>

#include "megascale/parallel/replay.h"
#include "megascale/parallel/schedule.h"

// Draws a schedule over time as papers do: a row per stage, a cell per item. `replay` must be the
// replay of `schedule`. All functions are pure.
namespace megascale::parallel {

// Draws with characters. Each item stands at its start as |F3, or |F3/1 with several chunks, and is
// as wide as it is long. Dots are idle time. A row ends with the stage's idle share and its peak of
// micro-batches in flight. One cell unit is the greatest time that divides all starts and ends, so
// choose small durations.
//
//   1f1b: 2 stages, 2 micro-batches, makespan 9, idle 33.3 %
//   stage 0 |F0|F1|.....|B0   |..|B1   |  idle 33.3 %, 2 in flight
//   stage 1 |..|F0|B0   |F1|B1   |.....|  idle 33.3 %, 1 in flight
[[nodiscard]] std::string draw_text(const Schedule& schedule, const Replay& replay);

// Draws a self-contained SVG document, at most about 4,000 pixels wide. Forwards are blue,
// backwards green, weight gradients orange; later chunks are paler. A cell shows its micro-batch if
// there is room for it, and item and times as a tooltip.
[[nodiscard]] std::string draw_svg(const Schedule& schedule, const Replay& replay);

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_DRAW_SCHEDULE_H_
