#ifndef MEGASCALE_RUNTIME_CUDA_DEVICE_LANE_RUNNER_H_
#define MEGASCALE_RUNTIME_CUDA_DEVICE_LANE_RUNNER_H_

#include <array>
#include <memory>
#include <vector>

#include "megascale/runtime/step_runner.h"

struct CUstream_st;

namespace megascale::runtime {

// A rank's lanes on a CUDA device: a lane is a stream, a wait is an event, and both work in the
// order and by the waits of the plan alone.
//
// The rank's own thread hands work to the streams and is far ahead of them. It keeps the same
// bookkeeping as the CPU's runner, with "handed over" in place of "done": a task is handed over
// once all tasks that it waits for were, so no event is waited for before it is recorded, and once
// its partners have, if it is a transfer. Handing over therefore stops nowhere that an untimed
// execution of the plans does not; and as every wait of a stream means work that was handed over
// before, streams cannot block each other, however many of them a device queue serves. NCCL's
// members meet on the device instead, each lane on a queue of its own (comm/nccl); what NCCL finds
// lost while the device works fails the step.
//
// Buffers of Category::staging lie in pinned host memory, not in the arena. A task that touches
// nothing else (loading a batch) runs on a host thread of this object; carried tasks must be such.
// All else is handed to its lane's stream. Communicators are those of a device: their progress is
// that of handing over, their bytes move in the order of the lane's stream, stream(lane), which
// they were made with.
//
// With RunnerOptions::graphs runs of tasks that nothing else comes between (graph_parts.h) are
// handed over as one CUDA graph, from a plan's second step on. Their events lie in the graph. What
// fails on the device in one is reported with its last task, and the first one named.
//
// Records: every task leaves an event at its end; a task starts when the one before it on its lane
// and its waits are done, which is when it could start first (what it waited for the host is
// counted as its time). The events are read once all is handed over, while the device works on
// later tasks. matched_ns of transfers is their start.
class DeviceLaneRunner final : public StepRunner {
 public:
  // `device` is the one that arenas lie on; it becomes the calling thread's. `wakeup` is the one
  // that this rank's communicators notify. Throws Error.
  DeviceLaneRunner(std::uint32_t device, Wakeup& wakeup, RunnerOptions options);
  ~DeviceLaneRunner() override;

  [[nodiscard]] CUstream_st* stream(graph::Lane lane) const noexcept;

  std::size_t bind(BoundPlan plan) override;
  void run_carried(std::size_t plan) override;
  void run_step(std::size_t plan, std::span<TaskRecord> records) override;
  [[nodiscard]] std::optional<StallReport> stall() const override { return stall_; }
  void drain() override;

 private:
  class HostThread;
  struct Lanes;
  struct Plan;
  class Step;

  // After a failure, which failure_ holds.
  void stop(Step& step);

  Wakeup* wakeup_;
  RunnerOptions options_;
  std::unique_ptr<Lanes> lanes_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::unique_ptr<Error> failure_;    // of a step; nothing runs after it
  std::optional<StallReport> stall_;  // of a step that was given up
  std::unique_ptr<HostThread> host_;  // last: its tasks use all of the above
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_DEVICE_LANE_RUNNER_H_
