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

// The thread that runs a lane runner of a device's host tasks, one at a time. Internal to
// runtime/cuda.
class DeviceLaneRunner::HostThread {
 public:
  HostThread(std::uint32_t device, Wakeup& wakeup);
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;
  ~HostThread();

  // Throws Error.
  using Work = std::function<void()>;
  // `wait`: for what the device does before. There must be none under way.
  void start(Work wait, Work work);
  [[nodiscard]] bool busy() const;
  // It is through with waiting.
  [[nodiscard]] bool works() const;
  void wait_until_idle();
  // What the last work failed with, once.
  [[nodiscard]] std::optional<Error> take_error();
  // When the last work was done, in monotonic_ns().
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
