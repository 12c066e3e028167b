#ifndef MEGASCALE_BASE_RECORD_RING_FORMAT_H_
#define MEGASCALE_BASE_RECORD_RING_FORMAT_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/task_record.h"

// The layout of a record ring in memory and in its file. A ring holds the task records of the last
// steps of one rank. It consists of a header and `steps` places; a place is a step header followed
// by `tasks` records. Step s uses place s mod steps. The bytes are in the order of the host, so the
// file can be read only on a machine of the same byte order.
//
// A ring can be read while it is written. Each place is a sequence lock: its step number is -1
// while the writer clears the records of the earlier step. A reader compares the step number before
// and after it copies a place; if both are equal, it has copied records of one step only. Each
// record in a place is published by its last word: done_ns is 0 until all other words are written.
// Before that, its start and the start of its partners are published one by one.
// All words are written and read as atomics. read_place() below implements the reader,
// runtime::RecordRing and publish() the writer.
namespace megascale {

// The header of a ring. Its first kNbytesBefore bytes have the layout of the previous format
// (kMagicBefore), whose header ended after the digest.
struct RecordRingHeader {
  static constexpr std::uint64_t kMagic = 0x3247'4e49'5253'4d00;        // "\0MSRING2"
  static constexpr std::uint64_t kMagicBefore = 0x3147'4e49'5253'4d00;  // "\0MSRING1"
  static constexpr std::size_t kNbytesBefore = 48;
  std::uint64_t magic = kMagic;
  std::uint32_t tasks = 0;    // records of one step
  std::uint32_t steps = 0;    // places of the ring
  char plan_digest[32] = {};  // names the plan whose tasks the records belong to
  // Nanoseconds to add to the times of this ring to get times of rank 0's clock. It is 0 until the
  // clocks have been compared. No other word of the header changes after the start.
  std::int64_t clock_offset_ns = 0;
  std::uint32_t rank = 0;
  std::uint32_t process_id = 0;
  char host_name[64] = {};  // ends with a zero byte; a longer name is cut
};
static_assert(sizeof(RecordRingHeader) == 128);
struct RecordRingStep {
  std::int64_t step = -1;                 // -1: the place was never used, or is being cleared
  std::int64_t begin_ns = 0, end_ns = 0;  // of monotonic_ns(); end_ns 0: the step is not finished
};
// Returns the bytes of one place, for steps of `tasks` tasks.
[[nodiscard]] constexpr std::size_t record_ring_step_nbytes(std::uint32_t tasks) noexcept {
  return sizeof(RecordRingStep) + tasks * sizeof(TaskRecord);
}

// Copies the `tasks` records of one place to `records`, while the ring may be written. The record
// of a task that has not started is TaskRecord{}. Returns the place's step header. Its step is -1 if
// the place was never used or was reused during the copy; `records` is then meaningless. Any thread
// or process may call it.
[[nodiscard]] RecordRingStep read_place(const std::byte* place, std::uint32_t tasks,
                                        TaskRecord* records) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_BASE_RECORD_RING_FORMAT_H_
