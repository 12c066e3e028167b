#ifndef MEGASCALE_LAUNCH_PARENT_WATCH_H_
#define MEGASCALE_LAUNCH_PARENT_WATCH_H_

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace megascale::launch {

// Notices that the process that started this one has ended, within a second. A launcher that is
// killed cannot stop its ranks, and ranks without a launcher would train on unseen. The kernel's
// own signal for this (PR_SET_PDEATHSIG) comes when the thread of the parent that forked ends, and
// launchers fork in threads that end early.
class ParentWatch {
 public:
  // Returns whether a launcher that ends its ranks with itself is said to have started this
  // process: mpirun, srun or torchrun. Ranks that are started by hand outlive their shell.
  [[nodiscard]] static bool is_due();
  // Starts a thread that calls `on_end` once, when the parent has ended.
  explicit ParentWatch(std::function<void()> on_end);
  ParentWatch(const ParentWatch&) = delete;
  ParentWatch& operator=(const ParentWatch&) = delete;
  ~ParentWatch();

 private:
  void watch();
  pid_t parent_;
  std::function<void()> on_end_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_PARENT_WATCH_H_
