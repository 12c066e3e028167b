#ifndef MEGASCALE_BASE_RECORD_RING_FORMAT_H_
#define MEGASCALE_BASE_RECORD_RING_FORMAT_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/task_record.h"

// The bytes of a record ring: a header, then `steps` places of a step header and `tasks` records
// each. Step s is at place s mod steps. Host byte order; read on the machine that wrote it.
//
// A ring is read while it is written. Each place is a sequence lock: its step number is -1 while
// the records of the step before are taken away, and a reader that finds the same number before and
// after it has copied a place has copied one step. In a place each record is published by its last
// word: done_ns is 0 until all other words are there. All words are written and read as atomics.
// read_place() below is a reader's side, runtime::RecordRing and publish() the writer's.
namespace megascale {

// Begins with the words of the format before (kMagicBefore), which ends with the digest.
struct RecordRingHeader {
  static constexpr std::uint64_t kMagic = 0x3247'4e49'5253'4d00;        // "\0MSRING2"
  static constexpr std::uint64_t kMagicBefore = 0x3147'4e49'5253'4d00;  // "\0MSRING1"
  static constexpr std::size_t kNbytesBefore = 48;
  std::uint64_t magic = kMagic;
  std::uint32_t tasks = 0;  // of a step
  std::uint32_t steps = 0;  // that the ring holds
  char plan_digest[32] = {};
  // What is added to times of this ring to get those of rank 0's clock, in nanoseconds. 0 until
  // somebody has compared the clocks; the one word of the header that changes.
  std::int64_t clock_offset_ns = 0;
  std::uint32_t rank = 0;
  std::uint32_t process_id = 0;
  char host_name[64] = {};  // ends with 0, cut where it is longer
};
static_assert(sizeof(RecordRingHeader) == 128);
struct RecordRingStep {
  std::int64_t step = -1;                 // -1: never used, or about to be used again
  std::int64_t begin_ns = 0, end_ns = 0;  // end_ns 0: not finished
};
// Bytes of one place.
[[nodiscard]] constexpr std::size_t record_ring_step_nbytes(std::uint32_t tasks) noexcept {
  return sizeof(RecordRingStep) + tasks * sizeof(TaskRecord);
}

// Copies one place of a ring that may be written meanwhile: `tasks` records to `records`; those of
// tasks that are not done are TaskRecord{}. Returns its step header; the step is -1 where the place
// was never used, or was used again meanwhile: then `records` is void. Any thread or process.
[[nodiscard]] RecordRingStep read_place(const std::byte* place, std::uint32_t tasks,
                                        TaskRecord* records) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_BASE_RECORD_RING_FORMAT_H_
