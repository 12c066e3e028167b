// A thread that sleeps on a condition variable until it gets a task.
#include "megascale/runtime/cuda/host_thread.h"

#include <utility>

#include "megascale/base/clock.h"
#include "megascale/cuda/device.h"

namespace megascale::runtime {

DeviceLaneRunner::HostThread::HostThread(std::uint32_t device, Wakeup& wakeup)
    : device_(device), wakeup_(&wakeup), thread_([this] { serve(); }) {}

DeviceLaneRunner::HostThread::~HostThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DeviceLaneRunner::HostThread::start(Work wait, Work work) {
  {
    const std::lock_guard lock(mutex_);
    MEGASCALE_CHECK(!busy_, "the host thread has a task already");
    wait_ = std::move(wait);
    work_ = std::move(work);
    busy_ = true;
  }
  changed_.notify_all();
}

bool DeviceLaneRunner::HostThread::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

bool DeviceLaneRunner::HostThread::works() const {
  const std::lock_guard lock(mutex_);
  return works_;
}

void DeviceLaneRunner::HostThread::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
}

std::optional<Error> DeviceLaneRunner::HostThread::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, std::nullopt);
}

std::int64_t DeviceLaneRunner::HostThread::done_ns() const {
  const std::lock_guard lock(mutex_);
  return done_ns_;
}

void DeviceLaneRunner::HostThread::serve() {
  for (;;) {
    Work wait, work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || work_; });
      if (!work_) return;
      wait = std::exchange(wait_, nullptr);
      work = std::exchange(work_, nullptr);
    }
    std::optional<Error> error;
    try {
      cuda::use_device(device_);  // `wait` waits for events of this device
      wait();
      {
        const std::lock_guard lock(mutex_);
        works_ = true;
      }
      work();
    } catch (const Error& thrown) {
      error = thrown;
    }
    {
      const std::lock_guard lock(mutex_);
      busy_ = works_ = false;
      done_ns_ = monotonic_ns();
      if (error) error_ = std::move(error);
    }
    changed_.notify_all();
    wakeup_->notify();
  }
}

}  // namespace megascale::runtime
