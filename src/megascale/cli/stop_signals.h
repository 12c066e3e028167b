#ifndef MEGASCALE_CLI_STOP_SIGNALS_H_
#define MEGASCALE_CLI_STOP_SIGNALS_H_

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

namespace megascale::cli {

// Turns SIGTERM and SIGINT into a flag, without a signal handler. A thread of its own waits for the
// signals; all other threads block them. SIGHUP ends the process.
// docs/decisions/0004-no-signal-handlers.md says why handlers are not possible. Create it before
// any other thread, because threads inherit the blocked signals. The signals stay blocked after the
// destructor, so a signal that comes after the run has no effect.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();
  // Before this call, the signals end the process, as by default. After it, they only set
  // requested().
  void begin_to_stop() noexcept { stops_.store(true); }
  // Becomes true at the first signal after begin_to_stop(), and stays true. Any thread may read it.
  [[nodiscard]] const std::atomic<bool>& requested() const noexcept { return requested_; }

 private:
  void wait() noexcept;
  sigset_t signals_{};
  std::atomic<bool> stops_{false}, requested_{false}, ending_{false};
  std::thread thread_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_STOP_SIGNALS_H_
