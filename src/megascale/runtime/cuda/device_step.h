#ifndef MEGASCALE_RUNTIME_CUDA_DEVICE_STEP_H_
#define MEGASCALE_RUNTIME_CUDA_DEVICE_STEP_H_

#include <array>
#include <optional>

#include "megascale/runtime/cuda/device_plan.h"
#include "megascale/runtime/cuda/host_thread.h"

// One step of one plan on a device: handing over, then reading the times. Internal to runtime/cuda.
namespace megascale::runtime {

class DeviceLaneRunner::Step {
 public:
  Step(DeviceLaneRunner& runner, Plan& plan) : runner_(&runner), plan_(&plan) {}
  // Gives all tasks to their streams. Throws Error.
  void hand_over();
  // Waits until all that are not carried are done; fills in their records, unless there are none.
  // Throws Error.
  void finish(std::span<TaskRecord> records);
  // After the communicators were aborted: returns once no peer hands over work that touches this
  // rank's memory any more.
  void let_go();

 private:
  struct Cursor {
    std::uint32_t handed = 0;  // tasks of the lane
    bool started = false;      // the next one's transfer, or its host task, is under way
  };
  // Takes the lane one move further. False: nothing to do.
  bool advance(graph::Lane lane);
  // The first wait of the task for something that was not handed over.
  [[nodiscard]] std::optional<std::uint32_t> unsatisfied_wait(
      const plan::Task& task) const noexcept;
  void hold_for_waits(const plan::Task& task, CUstream_st* stream) const noexcept;
  bool advance_host_task(graph::Lane lane, std::uint32_t id);
  bool advance_transfer(Cursor& cursor, std::uint32_t id, CUstream_st* stream);
  void advance_part(Cursor& cursor, Plan::Part& part, CUstream_st* stream);
  void ask_before(std::uint32_t id) const;
  void give(std::uint32_t id, CUstream_st* stream) const;
  void handed_over(Cursor& cursor, std::uint32_t id, CUstream_st* stream);
  [[nodiscard]] bool all_handed_over() const noexcept;
  [[noreturn]] void fail_stalled(std::vector<StalledLane> lanes) const;
  // Before all is handed over. True: the device has done something since the last look.
  bool look_at_device();
  // The first task that is not done as far as the last look showed.
  [[nodiscard]] std::uint32_t first_undone() const;
  // Of every lane with tasks that were not handed over.
  [[nodiscard]] std::vector<StalledLane> stalled_lanes() const;
  // `first`: of the graph that task `id` ends, or the task itself.
  void wait_for(std::uint32_t id, std::uint32_t first);
  // Throws the Error of a communicator that lost a peer, as task `id`'s.
  void look_for_losses(std::uint32_t id) const;
  [[nodiscard]] TaskRecord record_of(std::uint32_t id, std::optional<std::uint32_t> before) const;
  [[nodiscard]] std::uint32_t task_at(const plan::Wait& wait) const noexcept {
    return plan_->tasks.lanes[static_cast<std::size_t>(wait.lane)][wait.count - 1];
  }

  DeviceLaneRunner* runner_;
  Plan* plan_;
  std::array<Cursor, graph::kLaneCount> cursors_{};
  std::optional<graph::Lane>
      host_lane_;  // whose task the host thread has, until this step saw its end
  std::int64_t begin_ns_ = 0;
  std::uint32_t looked_at_ = 0;  // of look_at_device(): the device has done all tasks before
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_DEVICE_STEP_H_
