#ifndef MEGASCALE_RUNTIME_BOUND_TASKS_H_
#define MEGASCALE_RUNTIME_BOUND_TASKS_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "megascale/runtime/stall_report.h"
#include "megascale/runtime/step_runner.h"

namespace megascale::runtime {

[[nodiscard]] constexpr std::size_t lane_number(graph::Lane lane) noexcept {
  return static_cast<std::size_t>(lane);
}

// A bound plan with what every lane runner computes once: tasks by lane, operand addresses, the
// shape of transfers. Immutable. Internal to runtime/.
struct BoundTasks {
  BoundPlan plan;
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> lanes;  // task ids
  std::array<std::uint32_t, graph::kLaneCount>
      step_end{};                            // tasks of the lane up to the last not carried one
  std::vector<std::byte*> addresses;         // of all operands of all tasks
  std::vector<std::uint32_t> first_address;  // by task

  // `elsewhere`: buffers that do not lie in the arena, and where they begin instead.
  explicit BoundTasks(BoundPlan bound_plan,
                      const std::map<plan::BufferId, std::byte*>& elsewhere = {});
  [[nodiscard]] const plan::StepPlan& step_plan() const noexcept { return plan.plan->plan(); }
  [[nodiscard]] TaskArguments arguments(std::uint32_t task) const noexcept;
  [[nodiscard]] comm::Transfer transfer(std::uint32_t task) const noexcept;
  [[nodiscard]] comm::Communicator& communicator(const plan::PlanOp& op) const noexcept {
    return *plan.communicators[plan::index(op.communicator)];
  }
  // Runs the carried tasks on the calling thread, in order. Throws Error.
  void run_carried() const;

  // What errors say. "task 7 (mb0/chunk0/layer1/fwd/attention/qkv) on rank 3":
  [[nodiscard]] std::string name_of(std::uint32_t task) const;
  // A task's own failure with its name.
  [[nodiscard]] Error failure_of(std::uint32_t task, Error error) const;
  [[nodiscard]] ReportedTask reported(std::uint32_t task) const;
  // Why a lane's first unfinished task does not go on. `wait`: the first of the task's waits that
  // is not satisfied; absent: all are.
  [[nodiscard]] StalledLane stalled_lane(std::uint32_t task,
                                         std::optional<std::uint32_t> wait) const;
  [[nodiscard]] StallReport stall_report(std::chrono::nanoseconds timeout,
                                         std::vector<StalledLane> stalled) const;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_BOUND_TASKS_H_
