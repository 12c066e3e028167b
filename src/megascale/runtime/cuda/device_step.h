#ifndef MEGASCALE_RUNTIME_CUDA_DEVICE_STEP_H_
#define MEGASCALE_RUNTIME_CUDA_DEVICE_STEP_H_

#include <array>
#include <optional>

#include "megascale/runtime/cuda/device_plan.h"
#include "megascale/runtime/cuda/host_thread.h"

// One step of one plan on a device: hands its tasks over, then reads their times. Internal to
// runtime/cuda.
namespace megascale::runtime {

class DeviceLaneRunner::Step {
 public:
  Step(DeviceLaneRunner& runner, Plan& plan) : runner_(&runner), plan_(&plan) {}
  // Hands all tasks over to their streams and waits for host tasks. Returns when all are handed
  // over. Throws Error.
  void hand_over();
  // Waits until the device has done all tasks that are not carried. Writes their records, unless
  // `records` is empty. Throws Error.
  void finish(std::span<TaskRecord> records);
  // Call it after the communicators were aborted. Returns once no peer hands over further work that
  // touches this rank's memory.
  void let_go();

 private:
  struct Cursor {
    std::uint32_t handed = 0;  // number of tasks of the lane that were handed over
    bool started = false;      // the next task is under way: its transfer, or its host task
  };
  // Advances the lane by one task, or by one poll of a transfer or host task. Returns false if
  // there was nothing to do.
  bool advance(graph::Lane lane);
  // Returns the index of the task's first wait for a task that was not handed over yet.
  [[nodiscard]] std::optional<std::uint32_t> unsatisfied_wait(
      const plan::Task& task) const noexcept;
  // Makes the stream wait for the end events of the tasks that `task` waits for.
  void hold_for_waits(const plan::Task& task, CUstream_st* stream) const noexcept;
  bool advance_host_task(graph::Lane lane, std::uint32_t id);
  bool advance_transfer(Cursor& cursor, std::uint32_t id, CUstream_st* stream);
  void advance_part(Cursor& cursor, Plan::Part& part, CUstream_st* stream);
  // Calls RunnerOptions::before_task.
  void ask_before(std::uint32_t id) const;
  // Calls the task's function, which enqueues its work on the stream.
  void give(std::uint32_t id, CUstream_st* stream) const;
  // Records the task's end event and counts it as handed over.
  void handed_over(Cursor& cursor, std::uint32_t id, CUstream_st* stream);
  [[nodiscard]] bool all_handed_over() const noexcept;
  [[noreturn]] void fail_stalled(std::vector<StalledLane> lanes) const;
  // Looks at the end events while tasks are still being handed over. Returns true if the device has
  // done further tasks since the last call.
  bool look_at_device();
  // Returns the first task that was not handed over, or not done when look_at_device() was last
  // called.
  [[nodiscard]] std::uint32_t first_undone() const;
  // Reports every lane that has tasks which were not handed over.
  [[nodiscard]] std::vector<StalledLane> stalled_lanes() const;
  // Waits until the device has done task `id`, or throws. `first` is the first task of the graph
  // that ends with `id`, or `id` itself.
  void wait_for(std::uint32_t id, std::uint32_t first);
  // If a communicator has lost a peer, throws its Error as that of task `id`.
  void look_for_losses(std::uint32_t id) const;
  // Throws the error that the device has found in the work of task `id`, which is done.
  void look_for_late_error(std::uint32_t id) const;
  [[nodiscard]] TaskRecord record_of(std::uint32_t id, std::optional<std::uint32_t> before) const;
  // Returns matched_ns of a transfer, whose other times are in `record`.
  [[nodiscard]] std::int64_t matched(std::uint32_t id, const TaskRecord& record) const;
  [[nodiscard]] std::uint32_t task_at(const plan::Wait& wait) const noexcept {
    return plan_->tasks.lanes[static_cast<std::size_t>(wait.lane)][wait.count - 1];
  }

  DeviceLaneRunner* runner_;
  Plan* plan_;
  std::array<Cursor, graph::kLaneCount> cursors_{};
  // The lane whose task is on the host thread, until this step has seen the end of the task.
  std::optional<graph::Lane> host_lane_;
  std::int64_t begin_ns_ = 0;
  // The device has done all tasks before this one, except for those that were not handed over when
  // look_at_device() checked them.
  std::uint32_t looked_at_ = 0;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_DEVICE_STEP_H_
