#ifndef MEGASCALE_PLAN_CLOCKS_H_
#define MEGASCALE_PLAN_CLOCKS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "megascale/plan/step_plan.h"

// Vector clocks of a plan: which tasks are certainly done when another task starts. Used to derive
// waits and, independently, to prove that a finished plan has all the waits it needs.
namespace megascale::plan {

// By lane: the number of its tasks that are known to be done.
using Clock = std::array<std::uint32_t, graph::kLaneCount>;

// Computes the clock at the start of each task from lane order and waits. Tasks are pushed in issue
// order. Not thread-safe while tasks are pushed.
class Clocks {
 public:
  explicit Clocks(std::size_t tasks) { after_.reserve(tasks); }

  // Returns the clock at the start of the next task of `lane`, before its waits are counted.
  [[nodiscard]] Clock lane_clock(graph::Lane lane) const {
    const auto& tasks = by_lane_[static_cast<std::size_t>(lane)];
    return tasks.empty() ? Clock{} : after_[tasks.back()];
  }
  // Adds to `clock` all tasks that are done once the wait is satisfied. The wait must name a task
  // that was pushed.
  void join(Clock& clock, const Wait& wait) const {
    const Clock& other = after_[by_lane_[static_cast<std::size_t>(wait.lane)][wait.count - 1]];
    for (std::size_t lane = 0; lane < clock.size(); ++lane)
      clock[lane] = std::max(clock[lane], other[lane]);
  }
  // Returns how many tasks of the lane were pushed.
  [[nodiscard]] std::uint32_t issued(graph::Lane lane) const {
    return static_cast<std::uint32_t>(by_lane_[static_cast<std::size_t>(lane)].size());
  }
  // Returns the id of the task that the wait names.
  [[nodiscard]] std::uint32_t task(const Wait& wait) const {
    return by_lane_[static_cast<std::size_t>(wait.lane)][wait.count - 1];
  }
  // Adds the next task in issue order, with the clock at its start.
  void push(graph::Lane lane, Clock at_start) {
    auto& tasks = by_lane_[static_cast<std::size_t>(lane)];
    tasks.push_back(static_cast<std::uint32_t>(after_.size()));
    at_start[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(tasks.size());
    after_.push_back(at_start);
  }

 private:
  std::vector<Clock> after_;  // by task: the clock when the task is done
  // By lane: the ids of its tasks.
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> by_lane_;
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_CLOCKS_H_
