#ifndef MEGASCALE_CONTROL_REMOTE_DRIVER_FENCE_H_
#define MEGASCALE_CONTROL_REMOTE_DRIVER_FENCE_H_

#include <chrono>
#include <cstdint>

#include "megascale/base/run_directory.h"
#include "megascale/train/directory_owner.h"

namespace megascale::control {

// Keeps one driver at a time in a run directory. A driver that takes over enters it although another
// host holds the lock: that host may be lost, or only cut off. The driver there sees it within a
// second and ends. One thread may use it.
class DriverFence {
 public:
  // Throws Error: failed if another driver serves the run directory, on this host or, unless
  // `takes_over`, on another one; io.
  DriverFence(const RunDirectory& run, bool takes_over);
  // The number of this driver: grows by one with each driver that takes over from another host.
  [[nodiscard]] std::int64_t term() const noexcept { return term_; }
  // Throws Error (failed) if another driver has taken over. Looks once a second.
  void require();

 private:
  std::int64_t term_;
  train::DirectoryOwner owner_;
  std::chrono::steady_clock::time_point look_not_before_{};
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_DRIVER_FENCE_H_
