#ifndef MEGASCALE_BASE_CLOCK_H_
#define MEGASCALE_BASE_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace megascale {

// Nanoseconds of the monotonic clock of this host; comparable between its processes.
[[nodiscard]] inline std::int64_t monotonic_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_CLOCK_H_
