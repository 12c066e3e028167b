// A thread waits for SIGTERM and SIGINT with sigwait(). Until the run is ready to stop in an
// orderly way, it raises the signal again without the block, which ends the process.
#include "megascale/cli/stop_signals.h"

namespace megascale::cli {

StopSignals::StopSignals() {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, SIGTERM);
  ::sigaddset(&signals_, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);  // inherited by threads
  ::signal(SIGHUP, SIG_DFL);                         // UCX sets a handler when it is loaded
  thread_ = std::thread([this] { wait(); });
}

StopSignals::~StopSignals() {
  ending_.store(true);
  ::pthread_kill(thread_.native_handle(), SIGTERM);  // wakes only that thread from sigwait()
  thread_.join();
}

void StopSignals::wait() noexcept {
  for (int signal = 0; !ending_.load();) {
    if (::sigwait(&signals_, &signal) != 0 || ending_.load()) continue;
    if (stops_.load()) {
      requested_.store(true);
    } else {
      (void)::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
      (void)::raise(signal);
    }
  }
}

}  // namespace megascale::cli
