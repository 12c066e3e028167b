#ifndef MEGASCALE_CLI_STOP_SIGNALS_H_
#define MEGASCALE_CLI_STOP_SIGNALS_H_

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <functional>
#include <thread>

namespace megascale::cli {

// Turns SIGTERM, SIGINT and SIGHUP into a flag, without a signal handler. A thread of its own waits
// for the signals; all other threads block them. docs/decisions/0004-no-signal-handlers.md says why
// handlers are not possible. SIGHUP is left alone if the process ignores it (nohup).
// The second SIGINT ends the process at once, with exit code 130. A repeated SIGTERM or SIGHUP has
// no effect: launchers repeat them.
// Create it before any other thread, because threads inherit the blocked signals. The signals stay
// blocked after the destructor, so a signal that comes after the run has no effect.
class StopSignals {
 public:
  // The exit code of a process that Ctrl-C has ended, as shells count: 128 + SIGINT.
  static constexpr int kInterrupted = 130;

  static constexpr const char* kStopsToSave = "stopping after this step to save a checkpoint";

  // `on_message` gets lines for the user, on the thread of the signals. `stops` is what it gets when
  // the first signal comes after begin_to_stop().
  explicit StopSignals(std::function<void(const char* text)> on_message,
                       const char* stops = kStopsToSave);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();
  // Before this call, a signal ends the process: SIGINT with exit code 130, the others as by
  // default. After it, the first signal only sets requested().
  void begin_to_stop() noexcept { stops_.store(true); }
  // Becomes true at the first signal after begin_to_stop(), and stays true. Any thread may read it.
  [[nodiscard]] const std::atomic<bool>& requested() const noexcept { return requested_; }

 private:
  void wait() noexcept;
  void take(int signal) noexcept;
  std::function<void(const char* text)> on_message_;
  const char* stops_text_;
  sigset_t signals_{};
  std::atomic<bool> stops_{false}, requested_{false}, ending_{false};
  bool interrupted_ = false;  // SIGINT has come; for the thread of the signals
  std::thread thread_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_STOP_SIGNALS_H_
