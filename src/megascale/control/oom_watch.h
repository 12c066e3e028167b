#ifndef MEGASCALE_CONTROL_OOM_WATCH_H_
#define MEGASCALE_CONTROL_OOM_WATCH_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace megascale::control {

// Tells whether the system has killed a process because its control group was out of memory. The
// signal is SIGKILL, as of any other kill; only the group's counter of such kills tells the
// difference. One thread may use it.
class OomWatch {
 public:
  explicit OomWatch(std::filesystem::path proc = "/proc",
                    std::filesystem::path cgroups = "/sys/fs/cgroup");
  // Remembers the counter of the group that the process is in now. Call it now and then while the
  // process runs; a process may be moved.
  void note(pid_t process);
  // Whether that counter has grown since.
  [[nodiscard]] bool has_grown() const;

 private:
  std::filesystem::path proc_, cgroups_, counter_;
  std::int64_t kills_ = 0;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_OOM_WATCH_H_
