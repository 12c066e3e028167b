#ifndef MEGASCALE_SIMULATE_RANK_PROGRAM_H_
#define MEGASCALE_SIMULATE_RANK_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "megascale/plan/step_plan.h"

namespace megascale::simulate {

// A plan in the form that the event engine reads: only the fields it needs, densely stored. All
// ranks with the same plan share one program. Lanes are the lanes that the plan uses, renumbered
// from 0. Immutable after construction; threads may share it.
struct RankProgram {
  static constexpr std::uint16_t kComputes = 0xffff;
  static constexpr std::uint32_t kNoPair = 0x7fffffff;
  struct Task {
    std::uint32_t op = 0;
    std::uint32_t first_wait = 0;  // index into `waits`
    std::uint16_t wait_count = 0;
    std::uint16_t communicator = kComputes;  // kComputes for a task that is no transfer
    std::uint32_t pair : 31 = kNoPair;       // index into `pairs`
    std::uint32_t carried : 1 = 0;
  };
  static_assert(sizeof(Task) <= 16);  // a simulation may read half a billion of them
  // The task waits until `count` tasks of the lane are done.
  struct Wait {
    std::uint32_t lane = 0, count = 0;
  };
  struct Lane {
    bool is_compute = false;
    std::vector<Task> tasks;         // in the order of the lane
    std::vector<std::uint32_t> ids;  // for each of `tasks`: its number in the plan
  };
  // A fused pair (plan/fused_pairs.h): a transfer, and `unit_size` tasks of the compute lane that one
  // kernel computes, its unit. Places are indices into Lane::tasks.
  struct Pair {
    std::uint32_t transfer_lane = 0, transfer = 0;
    std::uint32_t unit_lane = 0, unit = 0, unit_size = 0;
    bool transfer_first = false;
    // The waits of all tasks of the unit, those of its first task first. Index into `waits`.
    std::uint32_t first_wait = 0, wait_count = 0;
  };
  std::vector<Lane> lanes;
  std::vector<Wait> waits;
  std::vector<Pair> pairs;
  std::uint32_t uncarried = 0;  // number of tasks that must end before the rank's next step starts

  // Throws Error (failed) if the plan has more than 65,534 communicators.
  explicit RankProgram(const plan::StepPlan& plan);

  [[nodiscard]] std::span<const Wait> waits_of(const Task& task) const noexcept {
    return std::span(waits).subspan(task.first_wait, task.wait_count);
  }
  [[nodiscard]] std::span<const Wait> waits_of(const Pair& pair) const noexcept {
    return std::span(waits).subspan(pair.first_wait, pair.wait_count);
  }

 private:
  void add_pairs(const plan::StepPlan& plan);
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_RANK_PROGRAM_H_
