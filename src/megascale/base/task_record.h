#ifndef MEGASCALE_BASE_TASK_RECORD_H_
#define MEGASCALE_BASE_TASK_RECORD_H_

#include <cstdint>

namespace megascale {

// When one task of one step did what, in nanoseconds of monotonic_ns(). Written by the thread that
// serves the lane, with publish(): others may read it meanwhile.
struct TaskRecord {
  static constexpr std::uint32_t kNoWait = ~0U;
  std::int64_t head_ns = 0;           // the task before it on its lane was done
  std::int64_t start_ns = 0;          // its waits were satisfied too, and it started
  std::int64_t matched_ns = 0;        // transfers: every partner had started; other tasks: start_ns
  std::int64_t done_ns = 0;           // 0: not done, and the other numbers mean nothing
  std::uint32_t last_wait = kNoWait;  // the wait (index among the task's waits) that was satisfied
                                      // last, if it had to wait
  // Processor time of the lane's thread between start and done, in microseconds, rounded up;
  // without the other threads of a kernel's team. 0: not measured (see kStepsPerCpuTime in
  // runtime/lane_run.h).
  std::uint32_t cpu_us = 0;
};
static_assert(sizeof(TaskRecord) == 40);

// Puts a record in its place so that no reader sees part of it: done_ns, which is not 0, comes
// last.
void publish(TaskRecord& place, const TaskRecord& record) noexcept;
// The task is not done: readers see TaskRecord{}.
void clear(TaskRecord& place) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_BASE_TASK_RECORD_H_
