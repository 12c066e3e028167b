#ifndef MEGASCALE_TESTS_SUPPORT_WATCHDOG_H_
#define MEGASCALE_TESTS_SUPPORT_WATCHDOG_H_

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "support/sanitizer.h"

namespace megascale::testing {

// Sanitizers make a test several times slower. Their builds have a longer limit, so that a busy machine is not taken for
// a hang; it is below the time-out of ctest (cmake/module.cmake).
inline constexpr int kWatchdogFactor = kSanitizer.empty() ? 1 : 3;

// Ends the process with a message if the test that owns it is not through in time: a hang is a
// failure with a name. Its thread is asleep when the constructor returns: a process that is forked
// then has no allocator that the thread, beginning, had locked (the address sanitizer's stays so).
class Watchdog {
 public:
  explicit Watchdog(std::string what, std::chrono::seconds limit = std::chrono::seconds(120))
      : thread_([this, what = std::move(what), limit] {
          std::unique_lock lock(mutex_);
          watches_ = true;
          changed_.notify_one();
          if (changed_.wait_for(lock, kWatchdogFactor * limit, [this] { return through_; })) return;
          std::fprintf(stderr, "watchdog: %s hangs\n", what.c_str());
          std::abort();
        }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return watches_; });
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      through_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool watches_ = false, through_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_WATCHDOG_H_
