#ifndef MEGASCALE_OBSERVE_RING_FILE_H_
#define MEGASCALE_OBSERVE_RING_FILE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "megascale/base/task_record.h"

namespace megascale::observe {

// The steps of a record ring (base/record_ring_format.h), copied out of the file and checked. The
// ring may be written meanwhile: a step that is being replaced is left out.
struct RingStep {
  std::int64_t step = 0;
  std::int64_t begin_ns = 0, end_ns = 0;  // end_ns 0: not finished
  std::vector<TaskRecord> records;        // done_ns 0: not done
};
struct RingFile {
  std::string plan_digest;
  // Who wrote it. Absent: by a version before these were written down.
  struct Writer {
    std::uint32_t rank = 0, process_id = 0;
    std::string host_name;
    std::int64_t clock_offset_ns = 0;  // RecordRingHeader
  };
  std::optional<Writer> writer;
  std::vector<RingStep> steps;  // oldest first
};
// Throws Error (bad_input): not a ring, or shorter than it says.
[[nodiscard]] RingFile read_ring(const std::filesystem::path& path);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RING_FILE_H_
