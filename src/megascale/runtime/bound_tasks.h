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

// A bound plan, and the tables that every lane runner needs: task ids by lane, operand addresses,
// the arguments of transfers. Immutable after construction, so any thread may read it. Internal to
// runtime/.
struct BoundTasks {
  BoundPlan plan;
  std::array<std::vector<std::uint32_t>, graph::kLaneCount> lanes;  // task ids
  // By lane: the number of its tasks up to the last one that is not carried. The step ends there.
  std::array<std::uint32_t, graph::kLaneCount> step_end{};
  std::vector<std::byte*> addresses;         // of all operands of all tasks, in task order
  std::vector<std::uint32_t> first_address;  // by task: index of its first operand's address
  // Buffers that do not lie in the arena, and the addresses where they begin.
  std::map<plan::BufferId, std::byte*> elsewhere;

  // It is a bug if the arena is smaller than the plan's, or if an op that is no transfer has no
  // function.
  explicit BoundTasks(BoundPlan bound_plan, std::map<plan::BufferId, std::byte*> not_in_arena = {});
  [[nodiscard]] const plan::StepPlan& step_plan() const noexcept { return plan.plan->plan(); }
  // Returns the address where a buffer begins.
  [[nodiscard]] std::byte* begin_of(plan::BufferId buffer) const noexcept;
  // Return the arguments of a task for its function, or, if it is a transfer, for its communicator.
  [[nodiscard]] TaskArguments arguments(std::uint32_t task) const noexcept;
  [[nodiscard]] comm::Transfer transfer(std::uint32_t task) const noexcept;
  [[nodiscard]] comm::Communicator& communicator(const plan::PlanOp& op) const noexcept {
    return *plan.communicators[plan::index(op.communicator)];
  }
  // Runs the carried tasks on the calling thread, in order. Throws the Error of the first task that
  // fails, with its name added.
  void run_carried() const;

  // Texts and values for errors. name_of() returns, for example, "task 7
  // (mb0/chunk0/layer1/fwd/attention/qkv) on rank 3".
  [[nodiscard]] std::string name_of(std::uint32_t task) const;
  // Returns the error of a task, with its name added.
  [[nodiscard]] Error failure_of(std::uint32_t task, Error error) const;
  [[nodiscard]] ReportedTask reported(std::uint32_t task) const;
  // Returns why a lane's first unfinished task does not advance. `wait` is the index of the task's
  // first wait that is not satisfied; absent if all are satisfied.
  [[nodiscard]] StalledLane stalled_lane(std::uint32_t task,
                                         std::optional<std::uint32_t> wait) const;
  [[nodiscard]] StallReport stall_report(std::chrono::nanoseconds timeout,
                                         std::vector<StalledLane> stalled) const;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_BOUND_TASKS_H_
