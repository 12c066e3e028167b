#ifndef MEGASCALE_BASE_TASK_RECORD_H_
#define MEGASCALE_BASE_TASK_RECORD_H_

#include <cstdint>

namespace megascale {

// When one task of one step did what, in nanoseconds of monotonic_ns(). Written by the thread that
// serves the lane.
struct TaskRecord {
  static constexpr std::uint32_t kNoWait = ~0U;
  std::int64_t head_ns = 0;     // the task before it on its lane was done
  std::int64_t start_ns = 0;    // its waits were satisfied too, and it started
  std::int64_t matched_ns = 0;  // transfers: every partner had started; other tasks: start_ns
  std::int64_t done_ns = 0;
  std::uint32_t last_wait = kNoWait;  // the wait (index among the task's waits) that was satisfied
                                      // last, if it had to wait
  std::uint32_t reserved = 0;
};
static_assert(sizeof(TaskRecord) == 40);

}  // namespace megascale

#endif  // MEGASCALE_BASE_TASK_RECORD_H_
