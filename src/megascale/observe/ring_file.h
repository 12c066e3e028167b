#ifndef MEGASCALE_OBSERVE_RING_FILE_H_
#define MEGASCALE_OBSERVE_RING_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "megascale/base/task_record.h"

namespace megascale::observe {

// The steps of a record ring (base/record_ring_format.h), copied out of the file and checked.
struct RingStep {
  std::int64_t step = 0;
  std::int64_t begin_ns = 0, end_ns = 0;  // end_ns 0: not finished
  std::vector<TaskRecord> records;        // done_ns 0: not done
};
struct RingFile {
  std::string plan_digest;
  std::vector<RingStep> steps;  // oldest first
};
// Throws Error (bad_input): not a ring, or shorter than it says.
[[nodiscard]] RingFile read_ring(const std::filesystem::path& path);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RING_FILE_H_
