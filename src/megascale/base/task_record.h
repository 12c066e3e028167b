#ifndef MEGASCALE_BASE_TASK_RECORD_H_
#define MEGASCALE_BASE_TASK_RECORD_H_

#include <cstdint>

namespace megascale {

// The times of one task in one step, in nanoseconds of monotonic_ns(). The thread that serves the
// task's lane writes it with publish(), so that other threads and processes can read it at the same
// time.
struct TaskRecord {
  static constexpr std::uint32_t kNoWait = ~0U;
  std::int64_t head_ns = 0;   // the task became the first of its lane: its predecessor was done
  std::int64_t start_ns = 0;  // all its waits were satisfied, and the task started
  // Transfers: every partner had started, and bytes began to move. 0: this rank cannot tell (NCCL);
  // observe/match_transfers.h takes the time from the records of the partners. Other tasks:
  // start_ns.
  std::int64_t matched_ns = 0;
  // The task was done. 0: not done yet; then start_ns and matched_ns say how far it has come, if the
  // rank's lane runner publishes that (devices do not), and all other fields are unset.
  std::int64_t done_ns = 0;
  // Index, among the task's waits, of the wait that was satisfied last. kNoWait: all waits were
  // satisfied at head_ns already.
  std::uint32_t last_wait = kNoWait;
  // Processor time of the lane's thread between start and done, in microseconds, rounded up. The
  // other threads of a kernel's team are not included. 0: not measured, since only some steps are
  // (kStepsPerCpuTime in runtime/lane_run.h).
  std::uint32_t cpu_us = 0;
};
static_assert(sizeof(TaskRecord) == 40);

// Returns the time from which the bytes of a transfer moved: matched_ns, or start_ns if the record
// cannot tell.
[[nodiscard]] constexpr std::int64_t moving_since(const TaskRecord& record) noexcept {
  return record.matched_ns == 0 ? record.start_ns : record.matched_ns;
}

// Stores `record` in `place` so that no reader sees a part of it: done_ns, which must not be 0, is
// written last.
void publish(TaskRecord& place, const TaskRecord& record) noexcept;
// Publishes that the task has started, or that the partners of a transfer have; it is not done yet.
// So the record of a rank that hangs or dies says what it was doing.
void publish_start(TaskRecord& place, std::int64_t start_ns) noexcept;
void publish_match(TaskRecord& place, std::int64_t matched_ns) noexcept;
// Marks the task as not started: readers see TaskRecord{}.
void clear(TaskRecord& place) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_BASE_TASK_RECORD_H_
