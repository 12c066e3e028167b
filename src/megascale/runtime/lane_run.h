#ifndef MEGASCALE_RUNTIME_LANE_RUN_H_
#define MEGASCALE_RUNTIME_LANE_RUN_H_

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "megascale/runtime/bound_tasks.h"
#include "megascale/runtime/lane_runner.h"

// One step of one plan under way: the done counters that lanes wait on, and how a lane goes on.
// Internal to runtime/.
namespace megascale::runtime {

// A bound plan, and its steps under way.
struct LaneRunner::Bound : BoundTasks {
  std::array<std::unique_ptr<Run>, 2>
      runs;  // alternate: the carried tail of one may overlap the other
  std::size_t next_run = 0;

  using BoundTasks::BoundTasks;
};

// What stopped a lane runner: one for all its runs, so that a carried task's failure reaches the
// step after its own. The first one wins.
struct LaneRunner::Failure {
  std::atomic<bool> failed{false};  // set after error
  mutable std::mutex mutex;
  std::optional<Error> error;
  std::optional<StallReport> stall;  // of a step that was given up
  std::vector<comm::Communicator*>
      communicators;  // of all bound plans: aborted, so that peers see it

  [[nodiscard]] Error get() const;
};

// Processor times are measured in one step of so many. The clock of a thread is a system call: 4 us
// on a virtual machine with 2 cores, twice a task. The quickstart has 124 tasks a step: 1 ms of
// about 0.35 s, or 0.3 %, if every step were measured, 0.01 % so. The bar is 0.1 %.
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
  std::span<TaskRecord> records;
  bool cpu_times = false;                                            // measured in this step
  std::array<std::atomic<std::uint32_t>, graph::kLaneCount> done{};  // tasks of this step, by lane

  void reset(std::span<TaskRecord> new_records, bool measures_cpu_time);
  // Whose thread takes a lane further: its own, or that of the compute lane for it.
  enum class By : std::uint8_t { own, compute };
  // Takes the lane one move further: starts its head if the waits allow it, or polls its transfer.
  // False: nothing to do.
  bool advance(graph::Lane lane, By by = By::own) noexcept;
  [[nodiscard]] bool finished(graph::Lane lane) const noexcept;
  // Every task that is not carried is done.
  [[nodiscard]] bool step_finished() const noexcept;
  [[nodiscard]] bool failed() const noexcept {
    return failure->failed.load(std::memory_order_acquire);
  }
  // All lanes stop, and the communicators are aborted.
  void fail(std::uint32_t task, const Error& error) noexcept;
  // The same for a step that stalls: says for every lane what it waits for.
  void fail_stalled(std::chrono::nanoseconds timeout) noexcept;
  // Of this step, on all lanes.
  [[nodiscard]] std::uint64_t tasks_finished() const noexcept;
  // A host lane has work that need not wait: its thread is at it.
  [[nodiscard]] bool host_task_runs() const noexcept;
  // After a failure: no transfer of the lane is under way any more, so that no peer touches its
  // operands.
  [[nodiscard]] bool quiet(graph::Lane lane) noexcept;

 private:
  // Touched by one thread at a time: that which serves the lane, or has its turn at it.
  struct Cursor {
    bool started = false;  // a transfer is under way
    std::uint32_t last_wait = TaskRecord::kNoWait;
    std::int64_t head_ns = 0, start_ns = 0, matched_ns = 0;
    std::uint32_t cpu_us = 0;
  };
  // The first wait of the task that is not satisfied, or kNoWait.
  [[nodiscard]] std::uint32_t unsatisfied_wait(const plan::Task& task) const noexcept;
  // The lane's first task that is not finished; absent: there is none in this step.
  [[nodiscard]] std::optional<std::uint32_t> head(graph::Lane lane) const noexcept;
  void stop(const Error& error, std::optional<StallReport> stall = {}) noexcept;
  bool poll_transfer(graph::Lane lane, std::uint32_t task, By by) noexcept;
  void finish(graph::Lane lane, std::uint32_t task, By by) noexcept;
  // Runs the task's function. Its error, or null.
  const Error* run_function(graph::Lane lane, std::uint32_t task) noexcept;
  // Notes what the lane's head waits for. False: nothing, or there is no head.
  bool waits(graph::Lane lane) noexcept;

  std::array<Cursor, graph::kLaneCount> cursors_{};
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_LANE_RUN_H_
