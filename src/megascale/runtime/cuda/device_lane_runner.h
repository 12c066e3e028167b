#ifndef MEGASCALE_RUNTIME_CUDA_DEVICE_LANE_RUNNER_H_
#define MEGASCALE_RUNTIME_CUDA_DEVICE_LANE_RUNNER_H_

#include <array>
#include <memory>
#include <vector>

#include "megascale/runtime/step_runner.h"

struct CUstream_st;

namespace megascale::runtime {

// Runs plans on a CUDA device. A lane is a stream, and a wait is an event. The order of work
// follows from lanes and waits of the plan alone, as on the CPU.
//
// Handing over. The rank's own thread hands tasks over to the streams (it enqueues them) far ahead
// of their execution. It keeps the same counters as the CPU's runner, with "handed over" in place
// of "done". A task is handed over after all tasks that it waits for. If ranks are threads
// (comm/local), a transfer is handed over only when its partners are ready to hand it over too. So
// no stream waits for an event that is not recorded yet.
//
// Deadlock. Handing over stops only where an untimed execution of the plans would stop too, which
// verification excludes. Streams cannot block each other either: a stream only waits for work that
// was handed over earlier, even if several streams share one hardware queue. NCCL is different: its
// kernels wait on the device for those of other ranks, so two lanes must not share a hardware
// queue. Processes therefore ask CUDA for 32 queues, more than there are lanes, unless the user has
// set CUDA_DEVICE_MAX_CONNECTIONS (engine/process_rank_run.cpp). If NCCL reports a lost peer while
// the device works, the step fails.
//
// Host tasks. Buffers of Category::staging lie in pinned host memory, not in the arena. A task that
// touches only such buffers (loading a batch) runs on a host thread of this object. Carried tasks
// must be of this kind. All other tasks go to their lane's stream. Communicators must be made for a
// device, with the stream of their lane, stream(lane): poll() reports `done` when a transfer is
// handed over, and bytes move in the order of the stream.
//
// Graphs. With RunnerOptions::graphs, consecutive tasks that no other lane depends on in between
// (graph_parts.h) are handed over as one CUDA graph, from the second step of a plan on. The graph
// records the end events of its tasks except the last, whose event is recorded after the graph. If
// something fails on the device in a graph, the error names its first and its last task.
//
// Records. An event marks the end of every task on the device. The start of a task is computed: it is
// the time when the previous task of its lane and all its waits were done, that is the earliest
// possible start. If the host handed the task over later, that delay counts as time of the task. A
// transfer starts no earlier than this rank began to hand it over. Events are read after everything
// is handed over, while the device works on later tasks. matched_ns of a transfer is an event, if
// the communicator records one (ranks that are threads), else 0 (NCCL); see
// docs/decisions/0019-partners-on-devices.md.
class DeviceLaneRunner final : public StepRunner {
 public:
  // `device`: index of the device on which arenas lie. It becomes the calling thread's current
  // device. `wakeup` is the one that this rank's communicators notify; it must outlive this object.
  // Throws Error: unsupported in builds without CUDA, the errors of cuda::use_device and of
  // cuda::Stream.
  DeviceLaneRunner(std::uint32_t device, Wakeup& wakeup, RunnerOptions options);
  ~DeviceLaneRunner() override;

  // Returns the stream of a lane. This object owns it.
  [[nodiscard]] CUstream_st* stream(graph::Lane lane) const noexcept;

  std::size_t bind(BoundPlan plan) override;
  void run_carried(std::size_t plan) override;
  void run_step(std::size_t plan, std::span<TaskRecord> records) override;
  [[nodiscard]] std::optional<StallReport> stall() const override { return stall_; }
  [[nodiscard]] std::byte* staging(std::size_t plan, plan::BufferId buffer) const noexcept override;
  void drain() override;

 private:
  class HostThread;
  struct Lanes;
  struct Plan;
  class Step;

  // Stops all work after the failure in failure_. After it nothing touches the arena.
  void stop(Step& step);

  Wakeup* wakeup_;
  RunnerOptions options_;
  std::unique_ptr<Lanes> lanes_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::unique_ptr<Error> failure_;    // of the step that failed; nothing runs after it
  std::optional<StallReport> stall_;  // of the step that was given up
  std::unique_ptr<HostThread> host_;  // last member: its tasks use all others
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_DEVICE_LANE_RUNNER_H_
