#ifndef MEGASCALE_BASE_RECORD_RING_FORMAT_H_
#define MEGASCALE_BASE_RECORD_RING_FORMAT_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/task_record.h"

// The bytes of a record ring: a header, then `steps` places of a step header and `tasks` records
// each. Step s is at place s mod steps. Host byte order; read on the machine that wrote it.
namespace megascale {

struct RecordRingHeader {
  static constexpr std::uint64_t kMagic = 0x3147'4e49'5253'4d00;  // "\0MSRING1"
  std::uint64_t magic = kMagic;
  std::uint32_t tasks = 0;  // of a step
  std::uint32_t steps = 0;  // that the ring holds
  char plan_digest[32] = {};
};
struct RecordRingStep {
  std::int64_t step = -1;                 // -1: this place was never used
  std::int64_t begin_ns = 0, end_ns = 0;  // end_ns 0: not finished
};
// Bytes of one place.
[[nodiscard]] constexpr std::size_t record_ring_step_nbytes(std::uint32_t tasks) noexcept {
  return sizeof(RecordRingStep) + tasks * sizeof(TaskRecord);
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_RECORD_RING_FORMAT_H_
