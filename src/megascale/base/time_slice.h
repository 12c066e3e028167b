#ifndef MEGASCALE_BASE_TIME_SLICE_H_
#define MEGASCALE_BASE_TIME_SLICE_H_

#include <chrono>

namespace megascale {

// Measures the time slice of the operating system: how long a thread runs until another thread that
// wants the same core gets it. Two threads compete for the first core of the process for
// `duration`; the result is the median of all their slices. Returns 0 if no thread lost the core in
// that time.
[[nodiscard]] std::chrono::nanoseconds time_slice(std::chrono::nanoseconds duration);

}  // namespace megascale

#endif  // MEGASCALE_BASE_TIME_SLICE_H_
