#ifndef MEGASCALE_OBSERVE_RING_FILE_H_
#define MEGASCALE_OBSERVE_RING_FILE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/run_directory.h"
#include "megascale/base/task_record.h"

namespace megascale::observe {

// One step of a record ring, copied out of the file.
struct RingStep {
  std::int64_t step = 0;
  std::int64_t begin_ns = 0, end_ns = 0;  // end_ns 0: the step has not ended
  std::vector<TaskRecord> records;        // one per task of the plan; done_ns 0: not done
};
// The content of a record ring (base/record_ring_format.h).
struct RingFile {
  std::string plan_digest;  // digest of the plan that the records belong to
  // The process that wrote the ring. Absent in rings of the older format, which does not name it.
  struct Writer {
    std::uint32_t rank = 0, process_id = 0;
    std::string host_name;
    std::int64_t clock_offset_ns = 0;  // see RecordRingHeader
  };
  std::optional<Writer> writer;
  std::vector<RingStep> steps;  // oldest first
};
// Reads a ring, also while its process writes to it: a step that is being replaced is left out.
// Throws Error: bad_input if the file is not a ring or is shorter than its header says; io if it
// cannot be read. Any thread.
// `newer_than`: steps up to this one are left out, and cost no time.
[[nodiscard]] RingFile read_ring(const std::filesystem::path& path, std::int64_t newer_than = -1);
// Reads all that a rank has recorded: its ring, and the steps that observe.trace_steps kept, as far
// as they belong to the same plan. Throws the errors of read_ring(). Any thread.
[[nodiscard]] RingFile read_records(const RunDirectory& run, std::int64_t rank);
// The same, of a rank whose kept steps are known (RunDirectory::kept_steps_by_rank()).
[[nodiscard]] RingFile read_records(const RunDirectory& run, std::int64_t rank,
                                    std::span<const std::int64_t> kept_steps,
                                    std::int64_t newer_than = -1);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RING_FILE_H_
