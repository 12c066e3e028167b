#ifndef MEGASCALE_PLAN_CLOCKS_H_
#define MEGASCALE_PLAN_CLOCKS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// How many tasks of each lane are known to be done.
using Clock = std::array<std::uint32_t, graph::kLaneCount>;

// What is known to be done when each task starts, from lane order and waits. Fed in issue order.
class Clocks {
 public:
  explicit Clocks(std::size_t tasks) { after_.reserve(tasks); }

  // What is done before a task of `lane` starts, waits not yet counted.
  [[nodiscard]] Clock lane_clock(graph::Lane lane) const {
    const auto& tasks = by_lane_[static_cast<std::size_t>(lane)];
    return tasks.empty() ? Clock{} : after_[tasks.back()];
  }
  // Adds to `clock` what is done once the wait is satisfied. The wait must name a task that was
  // pushed.
  void join(Clock& clock, const Wait& wait) const {
    const Clock& other = after_[by_lane_[static_cast<std::size_t>(wait.lane)][wait.count - 1]];
    for (std::size_t lane = 0; lane < clock.size(); ++lane)
      clock[lane] = std::max(clock[lane], other[lane]);
  }
  [[nodiscard]] std::uint32_t issued(graph::Lane lane) const {
    return static_cast<std::uint32_t>(by_lane_[static_cast<std::size_t>(lane)].size());
  }
  // The id of the count-th task of a lane.
  [[nodiscard]] std::uint32_t task(const Wait& wait) const {
    return by_lane_[static_cast<std::size_t>(wait.lane)][wait.count - 1];
  }
  // The next task in issue order, with the clock at its start.
  void push(graph::Lane lane, Clock at_start) {
    auto& tasks = by_lane_[static_cast<std::size_t>(lane)];
    tasks.push_back(static_cast<std::uint32_t>(after_.size()));
    at_start[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(tasks.size());
    after_.push_back(at_start);
  }

 private:
  std::vector<Clock> after_;  // by task: what is done once it is done
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> by_lane_;
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_CLOCKS_H_
