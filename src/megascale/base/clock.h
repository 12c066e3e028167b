#ifndef MEGASCALE_BASE_CLOCK_H_
#define MEGASCALE_BASE_CLOCK_H_

#include <time.h>

#include <chrono>
#include <cstdint>

namespace megascale {

// Returns the time of this host's monotonic clock, in nanoseconds. Processes of one host can
// compare their values; values of different hosts have nothing in common.
[[nodiscard]] inline std::int64_t monotonic_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Returns the processor time that the calling thread has used, in nanoseconds. It costs a system
// call.
[[nodiscard]] inline std::int64_t thread_cpu_ns() noexcept {
  ::timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_CLOCK_H_
