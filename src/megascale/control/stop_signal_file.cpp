#include "megascale/control/stop_signal_file.h"

#include <sys/signalfd.h>

#include "megascale/base/error.h"

namespace megascale::control {

StopSignalFile::StopSignalFile() {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&taken, signal);
  struct sigaction action {};
  if (::sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
    sigaddset(&taken, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &taken, &before_);
  file_ = FileHandle(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (file_.get() < 0) throw Error(ErrorCode::io, "signalfd cannot be made");
  (void)::signal(SIGPIPE, SIG_IGN);  // the job goes on if the reader of its log exits
}

}  // namespace megascale::control
