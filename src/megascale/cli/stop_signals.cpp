// A thread takes the signals with sigwait(). Until the run is ready to stop in an orderly way,
// SIGTERM and SIGHUP are raised again without the block, which ends the process.
#include "megascale/cli/stop_signals.h"

#include <unistd.h>

#include "megascale/cli/inherited_signals.h"

namespace megascale::cli {

StopSignals::StopSignals(std::function<void(const char* text)> on_message, const char* stops)
    : on_message_(std::move(on_message)), stops_text_(stops) {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, SIGTERM);
  ::sigaddset(&signals_, SIGINT);
  if (!is_ignored(SIGHUP)) ::sigaddset(&signals_, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);  // inherited by threads
  thread_ = std::thread([this] { wait(); });
}

StopSignals::~StopSignals() {
  ending_.store(true);
  ::pthread_kill(thread_.native_handle(), SIGTERM);  // wakes only that thread from sigwait()
  thread_.join();
}

void StopSignals::wait() noexcept {
  for (int signal = 0; !ending_.load();) {
    if (::sigwait(&signals_, &signal) == 0 && !ending_.load()) take(signal);
  }
}

void StopSignals::take(int signal) noexcept {
  const bool again = signal == SIGINT && interrupted_;
  interrupted_ = interrupted_ || signal == SIGINT;
  if (stops_.load() && !again) {
    if (!requested_.exchange(true)) {
      on_message_(signal == SIGINT
                      ? "stopping after this step to save a checkpoint; Ctrl-C again ends without"
                      : stops_text_);
    }
    return;
  }
  if (signal == SIGINT) {
    on_message_(again ? "interrupted again: nothing more is saved"
                      : "interrupted before the first step: nothing is saved");
    ::_exit(kInterrupted);
  }
  (void)::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  (void)::raise(signal);
}

}  // namespace megascale::cli
