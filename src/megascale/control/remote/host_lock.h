#ifndef MEGASCALE_CONTROL_REMOTE_HOST_LOCK_H_
#define MEGASCALE_CONTROL_REMOTE_HOST_LOCK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "megascale/base/run_directory.h"
#include "megascale/train/directory_owner.h"

namespace megascale::control {

// Keeps one executor of a host at a time in a job: a second one, which a person has started by mistake,
// must not cost a restart. The system takes the lock away when the executor ends for any reason, so the
// next one waits for nothing. One thread may use it.
class HostLock {
 public:
  struct Options {
    std::string host;
    std::int64_t incarnation = 1;
    bool takes_over = false;  // from an executor that holds the lock
  };
  // Throws Error (failed) if another executor holds the lock and this one does not take over. If the
  // lock cannot be made, the newer executor takes the place of the older one.
  HostLock(const RunDirectory& run, const Options& options);

 private:
  std::optional<train::DirectoryOwner> owner_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_HOST_LOCK_H_
