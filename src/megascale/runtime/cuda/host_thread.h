#ifndef MEGASCALE_RUNTIME_CUDA_HOST_THREAD_H_
#define MEGASCALE_RUNTIME_CUDA_HOST_THREAD_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "megascale/base/wakeup.h"
#include "megascale/runtime/cuda/device_lane_runner.h"

namespace megascale::runtime {

// The thread on which the device's lane runner runs its host tasks, one at a time. The lane
// runner's thread calls it; finished work notifies `wakeup`. Internal to runtime/cuda.
class DeviceLaneRunner::HostThread {
 public:
  HostThread(std::uint32_t device, Wakeup& wakeup);
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;
  ~HostThread();

  // May throw Error.
  using Work = std::function<void()>;
  // Starts a task and returns at once. The thread calls `wait`, which waits for earlier work of the
  // device, and then `work`, which does the task. No other task may be running.
  void start(Work wait, Work work);
  // Returns true from start() until the task has ended.
  [[nodiscard]] bool busy() const;
  // Returns true while `work` runs, that is after `wait` has returned.
  [[nodiscard]] bool works() const;
  void wait_until_idle();
  // Returns the error of the last task, if it failed, and forgets it.
  [[nodiscard]] std::optional<Error> take_error();
  // Returns the time when the last task ended, in monotonic_ns().
  [[nodiscard]] std::int64_t done_ns() const;

 private:
  void serve();

  std::uint32_t device_;
  Wakeup* wakeup_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Work wait_, work_;
  bool busy_ = false, works_ = false, stopping_ = false;
  std::optional<Error> error_;
  std::int64_t done_ns_ = 0;
  std::thread thread_;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_CUDA_HOST_THREAD_H_
