#ifndef MEGASCALE_CLI_STOP_SIGNALS_H_
#define MEGASCALE_CLI_STOP_SIGNALS_H_

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

namespace megascale::cli {

// SIGTERM and SIGINT as a flag, without a signal handler: a thread of its own waits for them, all
// other threads block them, and SIGHUP ends the process
// (docs/decisions/0004-no-signal-handlers.md). Make it before any other thread. The signals stay
// blocked when it is gone: one that comes after the run changes nothing.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();
  // Until this call the signals end the process, as they do by default.
  void begin_to_stop() noexcept { stops_.store(true); }
  // Set for good by the first of the signals after that.
  [[nodiscard]] const std::atomic<bool>& requested() const noexcept { return requested_; }

 private:
  void wait() noexcept;
  sigset_t signals_{};
  std::atomic<bool> stops_{false}, requested_{false}, ending_{false};
  std::thread thread_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_STOP_SIGNALS_H_
