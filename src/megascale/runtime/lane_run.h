#ifndef MEGASCALE_RUNTIME_LANE_RUN_H_
#define MEGASCALE_RUNTIME_LANE_RUN_H_

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "megascale/runtime/bound_tasks.h"
#include "megascale/runtime/lane_runner.h"
#include "megascale/runtime/task_repeater.h"

// One step of one plan: the done counters that lanes wait on, and the rules by which a lane
// advances. Internal to runtime/.
namespace megascale::runtime {

// A bound plan, and the two Run objects of its steps.
struct LaneRunner::Bound : BoundTasks {
  // Steps use them in turn: the carried tasks of one step may still run during the next.
  std::array<std::unique_ptr<Run>, 2> runs;
  std::size_t next_run = 0;
  std::uint64_t steps = 0;  // so far

  using BoundTasks::BoundTasks;
};

// The failure that stopped a lane runner. All its runs share it, so that a carried task which fails
// also stops the step after its own. The first failure counts.
struct LaneRunner::Failure {
  std::atomic<bool> failed{false};  // set after error
  mutable std::mutex mutex;
  std::optional<Error> error;
  std::optional<StallReport> stall;  // if the failure was a stalled step
  // Of all bound plans. A failure aborts them, so that peers learn of it.
  std::vector<comm::Communicator*> communicators;

  [[nodiscard]] Error get() const;
};

// Processor times are measured in one step of this many. Reading a thread's clock is a system call,
// 4 us on a virtual machine with 2 cores, and a task reads it twice. With 124 tasks per step (the
// quickstart), that is 1 ms of about 0.35 s, or 0.3 %. Measured in every 32nd step it is 0.01 % on
// average; it should stay below 0.1 %.
constexpr std::uint32_t kStepsPerCpuTime = 32;

struct LaneRunner::Run {
  Run(const Bound& bound_plan, Wakeup& rank_wakeup, const Options& runner_options,
      Failure& runner_failure)
      : bound(&bound_plan),
        wakeup(&rank_wakeup),
        options(&runner_options),
        failure(&runner_failure) {}

  const Bound* bound;
  Wakeup* wakeup;
  const Options* options;
  Failure* failure;
  TaskRepeater* repeater = nullptr;  // null: no task is done twice
  std::uint64_t number = 0;          // of the step, among the steps of this plan
  std::span<TaskRecord> records;
  bool cpu_times = false;  // this step measures processor times
  // By lane: the number of tasks that are done in this step.
  std::array<std::atomic<std::uint32_t>, graph::kLaneCount> done{};

  // Prepares for step `new_number`. `new_records` has one element per task, or is empty.
  void reset(std::span<TaskRecord> new_records, std::uint64_t new_number, bool measures_cpu_time);
  // The thread that advances a lane: the lane's own, or that of the compute lane in its place.
  enum class By : std::uint8_t { own, compute };
  // Advances the lane by one action: starts its first unfinished task (its head) if all waits are
  // satisfied, or polls the head's transfer. Returns false if there was nothing to do.
  bool advance(graph::Lane lane, By by = By::own) noexcept;
  // Returns true if all tasks of the lane are done, carried ones included.
  [[nodiscard]] bool finished(graph::Lane lane) const noexcept;
  // Returns true if every task that is not carried is done.
  [[nodiscard]] bool step_finished() const noexcept;
  [[nodiscard]] bool failed() const noexcept {
    return failure->failed.load(std::memory_order_acquire);
  }
  // Stops all lanes and aborts the communicators, with the error of a task.
  void fail(std::uint32_t task, const Error& error) noexcept;
  // Does the same for a step that has stalled; the error says what each lane waits for.
  void fail_stalled(std::chrono::nanoseconds timeout) noexcept;
  // Returns the number of tasks of this step that are done, on all lanes.
  [[nodiscard]] std::uint64_t tasks_finished() const noexcept;
  // Returns true if the head of a host lane has all its waits satisfied: its thread is running it,
  // or about to.
  [[nodiscard]] bool host_task_runs() const noexcept;
  // After a failure: polls the lane's transfer and returns true once none is under way, so that no
  // peer touches its operands any more.
  [[nodiscard]] bool quiet(graph::Lane lane) noexcept;

 private:
  // The state of a lane's head. One thread at a time uses it: the one that serves the lane or has
  // the turn at it.
  struct Cursor {
    bool started = false;  // the head's transfer is under way
    std::uint32_t last_wait = TaskRecord::kNoWait;
    std::int64_t head_ns = 0, start_ns = 0, matched_ns = 0;  // as in TaskRecord
    std::uint32_t cpu_us = 0;
  };
  // Returns the index of the task's first wait that is not satisfied, or kNoWait.
  [[nodiscard]] std::uint32_t unsatisfied_wait(const plan::Task& task) const noexcept;
  // Returns the lane's first task that is not done, or nothing if all its tasks that are not carried
  // are done.
  [[nodiscard]] std::optional<std::uint32_t> head(graph::Lane lane) const noexcept;
  void stop(const Error& error, std::optional<StallReport> stall = {}) noexcept;
  bool poll_transfer(graph::Lane lane, std::uint32_t task, By by) noexcept;
  void finish(graph::Lane lane, std::uint32_t task, By by) noexcept;
  // Runs the task's function. Returns its error, or null.
  const Error* run_function(graph::Lane lane, std::uint32_t task) noexcept;
  const Error* run_once_or_twice(graph::Lane lane, std::uint32_t task) noexcept;
  // Records which wait the lane's head waits for. Returns false if it waits for none, or if there
  // is no head.
  bool waits(graph::Lane lane) noexcept;

  std::array<Cursor, graph::kLaneCount> cursors_{};
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_LANE_RUN_H_
