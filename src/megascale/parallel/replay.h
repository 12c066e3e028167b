#ifndef MEGASCALE_PARALLEL_REPLAY_H_
#define MEGASCALE_PARALLEL_REPLAY_H_

#include <cstdint>
#include <vector>

#include "megascale/parallel/schedule.h"

// Computes when each item of a schedule starts and ends, if every chunk of every stage takes the
// same time. All functions are pure and may be called from any thread.
namespace megascale::parallel {

using Ticks = std::int64_t;  // time in whole units; the caller chooses the unit

// Durations of the work on one chunk and one micro-batch. To compare schedules with different
// numbers v of chunks per stage, divide the durations of a stage by v.
struct Durations {
  Ticks forward = 1;
  Ticks backward = 1;  // input gradients only
  // A backward that is not split takes backward + weight_gradient.
  Ticks weight_gradient = 1;
  Ticks transfer = 0;  // from the end of an item until its output is on another stage
};
// Returns how long an item occupies its stage.
[[nodiscard]] Ticks duration(const Schedule& schedule, Work work, const Durations& durations);

struct ItemTime {
  Ticks start = -1;  // -1: the item never starts
  Ticks end = -1;
};

struct Replay {
  std::vector<std::vector<ItemTime>> times;  // times[s][i] is that of Schedule::items[s][i]
  Ticks makespan = 0;                        // end of the last item
  std::vector<Ticks> idle;                   // for each stage: ticks of the makespan without work
  // For each stage: the largest number of (chunk, micro-batch) pairs in flight. A pair is in flight
  // from the start of its forward to the end of its backward, or of its weight gradient if that is
  // split off.
  std::vector<std::uint32_t> in_flight_peak;
  // Returns the share of the makespan in which the stage is idle.
  [[nodiscard]] double idle_share(std::uint32_t stage) const {
    return static_cast<double>(idle[stage]) / static_cast<double>(makespan);
  }
};

// Replays a schedule. An item starts as soon as the previous item of its stage is done and its
// inputs have arrived. Transfers do not occupy stages. Throws Error: bad_input if validate()
// refuses the schedule; bad_usage if a duration is below 0, or if forward or backward takes 0.
[[nodiscard]] Replay replay(const Schedule& schedule, const Durations& durations = {});

namespace detail {
// Computes the times for a schedule that may not complete; items that never start keep -1. The
// caller has checked that the items are in range, unique and complete.
[[nodiscard]] std::vector<std::vector<ItemTime>> item_times(const Schedule& schedule,
                                                            const Durations& durations);
}  // namespace detail

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_REPLAY_H_
