#ifndef MEGASCALE_SIMULATE_RANK_PROGRAM_H_
#define MEGASCALE_SIMULATE_RANK_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "megascale/plan/step_plan.h"

namespace megascale::simulate {

// What the event engine reads of a plan, and nothing else, close together: one for all ranks that
// have the plan. Lanes are those that the plan uses, numbered by it.
struct RankProgram {
  static constexpr std::uint16_t kComputes = 0xffff;
  struct Task {
    std::uint32_t op = 0;
    std::uint32_t first_wait = 0;  // into waits
    std::uint16_t wait_count = 0;
    std::uint16_t communicator = kComputes;  // of a transfer
    bool carried = false;
  };
  static_assert(sizeof(Task) <= 16);  // half a billion of them are read in one simulation
  struct Wait {
    std::uint32_t lane = 0, count = 0;
  };
  struct Lane {
    bool is_compute = false;
    std::vector<Task> tasks;         // in lane order
    std::vector<std::uint32_t> ids;  // by the same index: the plan's number of the task
  };
  std::vector<Lane> lanes;
  std::vector<Wait> waits;
  std::uint32_t uncarried = 0;  // tasks that end before the rank's next step starts

  // Throws Error (failed) for a plan of more than 65,534 communicators.
  explicit RankProgram(const plan::StepPlan& plan);

  [[nodiscard]] std::span<const Wait> waits_of(const Task& task) const noexcept {
    return std::span(waits).subspan(task.first_wait, task.wait_count);
  }
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_RANK_PROGRAM_H_
