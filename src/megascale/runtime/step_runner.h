#ifndef MEGASCALE_RUNTIME_STEP_RUNNER_H_
#define MEGASCALE_RUNTIME_STEP_RUNNER_H_

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "megascale/base/task_function.h"
#include "megascale/base/task_record.h"
#include "megascale/base/wakeup.h"
#include "megascale/comm/communicator.h"
#include "megascale/plan/verify.h"
#include "megascale/runtime/stall_report.h"

// What carries out plans: the CPU's lane runner (lane_runner.h) and that of a device
// (cuda/device_lane_runner.h). Whoever is above knows this interface only.
namespace megascale::runtime {

// What is needed to run one verified plan on one rank. All of it must outlive who runs it.
struct BoundPlan {
  const plan::VerifiedPlan* plan = nullptr;
  // At least plan.arena_nbytes() bytes, 64-byte aligned; of the device that runs it.
  std::span<std::byte> arena;
  std::vector<TaskFunction*> functions;            // by op; null for transfers
  std::vector<comm::Communicator*> communicators;  // by communicator of the plan
};

struct RunnerOptions {
  // Called before every task of a step starts (of a device: before it is handed over), on the
  // thread that serves its lane: tests inject delays here, and faults: an Error that it throws is
  // the task's.
  std::function<void(std::uint32_t task)> before_task;
  // What the progress thread sleeps on beside `wakeup`: the worker that communicators between
  // processes share. Must outlive the runner. Of the CPU's lane runner only.
  EventSource* events = nullptr;
  // The ranks' kernels use all cores of the host, so that a progress thread has none of its own and
  // would wait for a slice of the rank's. Of ranks that are threads.
  bool cores_are_full = false;
  // Tasks of a lane that nothing of another lane comes between go to the device by one call
  // (cuda::Graph). Of the device's lane runner only.
  bool graphs = false;
  // A step in which no task finishes for so long, and none runs here, fails with what every lane
  // waits for (control.timeout_seconds). Zero: it waits for ever.
  std::chrono::nanoseconds timeout{0};
};

// A rank's lanes, in order and by waits alone. Several plans (train, evaluate, decode) may be bound
// to one; one step runs at a time. Used by one thread, the rank's own.
class StepRunner {
 public:
  StepRunner() = default;
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;
  virtual ~StepRunner() = default;

  // Prepares a plan for running; returns its number.
  virtual std::size_t bind(BoundPlan plan) = 0;
  // Runs the carried tasks of a plan alone: what would have run during the step before the first
  // one.
  virtual void run_carried(std::size_t plan) = 0;
  // Runs one step; returns when every task that is not carried is done. `records`: one per task, or
  // empty; those of carried tasks may still be written until the next step of this plan has ended.
  // Throws the Error of the first task that failed, with its name; the runner can then run
  // nothing more, and says so by the same error. A carried task that fails stops the step that runs
  // then, or the next one. No peer touches the arena any more. A step that stalls (timeout) throws
  // ErrorCode::timeout with every waiting lane's task, what it waits for, and the ranks that have
  // not come.
  virtual void run_step(std::size_t plan, std::span<TaskRecord> records) = 0;
  // After a step that stalled: what its error says, as a value. Absent: no step has stalled.
  [[nodiscard]] virtual std::optional<StallReport> stall() const = 0;
  // Waits until carried tasks are done too.
  virtual void drain() = 0;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_STEP_RUNNER_H_
