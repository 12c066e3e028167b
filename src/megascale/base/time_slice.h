#ifndef MEGASCALE_BASE_TIME_SLICE_H_
#define MEGASCALE_BASE_TIME_SLICE_H_

#include <chrono>

namespace megascale {

// For how long the operating system lets a thread run before another one that wants the same core
// gets it, measured with two threads on the first core of the process for `duration`: the median.
// 0 where none was seen to lose its core.
[[nodiscard]] std::chrono::nanoseconds time_slice(std::chrono::nanoseconds duration);

}  // namespace megascale

#endif  // MEGASCALE_BASE_TIME_SLICE_H_
