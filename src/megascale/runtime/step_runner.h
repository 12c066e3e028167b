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

// The interface of the lane runners, which execute plans: LaneRunner on the CPU (lane_runner.h) and
// DeviceLaneRunner on a CUDA device (cuda/device_lane_runner.h). The layers above know this
// interface only.
namespace megascale::runtime {

// A verified plan with everything that is needed to run it on one rank. What it refers to must
// outlive the runner.
struct BoundPlan {
  const plan::VerifiedPlan* plan = nullptr;
  // At least plan.arena_nbytes() bytes, 64-byte aligned: host memory for a LaneRunner, device
  // memory for a DeviceLaneRunner.
  std::span<std::byte> arena;
  std::vector<TaskFunction*> functions;            // by op; null for transfers
  std::vector<comm::Communicator*> communicators;  // by the plan's communicator number
};

struct RunnerOptions {
  // For tests, which inject delays and faults here. It is called before every task of a step starts
  // (on a device: before the task is handed over), on the thread that serves its lane. An Error
  // that it throws becomes the task's.
  std::function<void(std::uint32_t task)> before_task;
  // Devices only, for tests: called when the stream of the task's lane has been made to wait for the tasks
  // before it. Work that it enqueues there delays the task on the device, while the host goes on.
  std::function<void(std::uint32_t task, CUstream_st* stream)> before_work;
  // CPU only: the UcxWorker that the communicators of a rank share if ranks are processes,
  // otherwise null. The progress thread sleeps on it and on the rank's wakeup. It must outlive the
  // runner.
  EventSource* events = nullptr;
  // CPU only, for ranks that are threads: the kernels of all ranks use all cores of the host. Then
  // the progress thread has no core of its own and would have to wait for a time slice.
  bool cores_are_full = false;
  // Devices only: consecutive tasks of a lane that no other lane depends on in between are handed
  // over in one call, as a CUDA graph (cuda::Graph).
  bool graphs = false;
  // CPU only, train.repeat_interval: of every so many tasks of the compute lane one is done twice,
  // and a step fails if the results differ (TaskRepeater). 0: none is.
  std::uint32_t repeat_interval = 0;
  // control.timeout_seconds: if no task of a step finishes for this long, and no host task is
  // running here, the step fails. The error says what every lane waits for. 0: no limit.
  std::chrono::nanoseconds timeout{0};
};

// The threads of a runner beside the rank's own one, by their numbers in /proc/self/task. 0: there is none.
struct LaneThreads {
  int transfers = 0, host = 0;  // serve the communication lanes; the host lanes
};

// Runs the lanes of a rank: each in order, tasks as soon as their waits allow. Several plans
// (train, evaluate, decode) may be bound to one runner; one step runs at a time. Only the rank's
// own thread may call it.
class StepRunner {
 public:
  StepRunner() = default;
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;
  virtual ~StepRunner() = default;

  // Prepares a plan for running. Returns its number for the other functions. On devices throws
  // Error (out_of_memory).
  virtual std::size_t bind(BoundPlan plan) = 0;
  // Runs only the carried tasks of a plan, which otherwise run during the step before. Call it
  // before the first step. Throws the Error of a task that fails.
  virtual void run_carried(std::size_t plan) = 0;
  // Runs one step of a plan and returns when every task that is not carried is done.
  // `records` has one element per task, or is empty. Records of carried tasks may still be written
  // until the next step of this plan has ended.
  // Errors: throws the Error of the first task that failed; the error names the task. When it is
  // thrown, no peer touches the arena any more. The runner cannot run anything after that: later
  // calls of run_step() and run_carried() throw the same error. If a carried task fails, this step
  // fails, or the next one. If the step stalls (RunnerOptions::timeout), the error is
  // ErrorCode::timeout. It says for every waiting lane its task, what that task waits for, and
  // which ranks have not come.
  virtual void run_step(std::size_t plan, std::span<TaskRecord> records) = 0;
  // Returns the report of the step that stalled; the error of run_step() says the same as text.
  // Returns nothing if no step has stalled.
  [[nodiscard]] virtual std::optional<StallReport> stall() const = 0;
  // Returns where a buffer of Category::staging of a bound plan begins, in memory of the host. The
  // rank's thread may write to it between steps, except for bytes that a carried task writes: such
  // a task may still run.
  [[nodiscard]] virtual std::byte* staging(std::size_t plan,
                                           plan::BufferId buffer) const noexcept = 0;
  // They live as long as the runner.
  [[nodiscard]] virtual LaneThreads lane_threads() const noexcept { return {}; }
  // Waits until carried tasks are done as well.
  virtual void drain() = 0;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_STEP_RUNNER_H_
