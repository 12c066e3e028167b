#ifndef MEGASCALE_CONTROL_STOP_SIGNAL_FILE_H_
#define MEGASCALE_CONTROL_STOP_SIGNAL_FILE_H_

#include <signal.h>

#include "megascale/base/files.h"

namespace megascale::control {

// Blocks the signals that stop a job (SIGINT, SIGTERM, SIGHUP) and makes them readable. A SIGHUP that
// this process ignores stays ignored (nohup). The signals stay blocked after the destructor. Make it
// before the process has other threads. SIGPIPE is ignored from then on.
class StopSignalFile {
 public:
  // Throws Error (io).
  StopSignalFile();
  // A signalfd that does not block.
  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
  // The signals that were blocked before.
  [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

 private:
  sigset_t before_{};
  FileHandle file_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_STOP_SIGNAL_FILE_H_
