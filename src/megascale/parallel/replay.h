#ifndef MEGASCALE_PARALLEL_REPLAY_H_
#define MEGASCALE_PARALLEL_REPLAY_H_

#include <cstdint>
#include <vector>

#include "megascale/parallel/schedule.h"

// A schedule with times: what a pipeline of equal stages does when every chunk takes the same time.
namespace megascale::parallel {

using Ticks = std::int64_t;  // an integer unit of time, the caller's choice

// Of one chunk and micro-batch. With v chunks a stage, a chunk takes 1/v of the stage's time.
struct Durations {
  Ticks forward = 1;
  Ticks backward = 1;         // input gradients alone
  Ticks weight_gradient = 1;  // a backward that is not split takes backward + weight_gradient
  Ticks transfer = 0;         // from the end of an item to its arrival on another stage
};
// How long an item keeps its stage busy.
[[nodiscard]] Ticks duration(const Schedule& schedule, Work work, const Durations& durations);

struct ItemTime {
  Ticks start = -1;  // -1: it never starts
  Ticks end = -1;
};

struct Replay {
  std::vector<std::vector<ItemTime>> times;   // as Schedule::items
  Ticks makespan = 0;                         // the end of the last item
  std::vector<Ticks> idle;                    // of each stage, out of the makespan
  std::vector<std::uint32_t> in_flight_peak;  // of each stage: the most (chunk, micro-batch) pairs
                                              // with the forward begun and the backward (weight
                                              // gradient, where it is split) not done
  [[nodiscard]] double idle_share(std::uint32_t stage) const {
    return static_cast<double>(idle[stage]) / static_cast<double>(makespan);
  }
};

// Every item starts as soon as the previous item of its stage is done and its inputs are there; a
// transfer takes no time of a stage. Throws Error: bad_input for a schedule that validate()
// refuses, bad_usage for durations below 0, or 0 for forward or backward.
[[nodiscard]] Replay replay(const Schedule& schedule, const Durations& durations = {});

namespace detail {
// The same times for a schedule that may not complete; the caller has checked that its items are in
// range, unique and complete. Items that never start keep -1.
[[nodiscard]] std::vector<std::vector<ItemTime>> item_times(const Schedule& schedule,
                                                            const Durations& durations);
}  // namespace detail

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_REPLAY_H_
