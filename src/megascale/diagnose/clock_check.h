#ifndef MEGASCALE_DIAGNOSE_CLOCK_CHECK_H_
#define MEGASCALE_DIAGNOSE_CLOCK_CHECK_H_

#include <cstdint>

#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

// The clocks of a host at one moment, in nanoseconds.
struct ClockReading {
  std::int64_t wall_ns = 0;       // since 1970
  std::int64_t monotonic_ns = 0;  // of the host
};
[[nodiscard]] ClockReading read_clocks() noexcept;

// Judges two readings of one host. Fails if the wall clock was set between them, by more than a
// second, or if it shows a time before `not_before_ns`, when something was written that exists.
void judge_clocks(const ClockReading& before, const ClockReading& after, std::int64_t not_before_ns,
                  CheckReport& report);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_CLOCK_CHECK_H_
