#ifndef MEGASCALE_OBSERVE_MEMORY_OVER_TIME_H_
#define MEGASCALE_OBSERVE_MEMORY_OVER_TIME_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/base/task_record.h"
#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// The bytes of the arena that hold something that is still needed, in the course of a step.
struct MemoryOverTime {
  // Entry i holds from times_ns[i] until times_ns[i + 1]. Times are of the records.
  std::vector<std::int64_t> times_ns;
  std::array<std::vector<std::uint64_t>, plan::kCategoryCount> nbytes;  // by category
};
// A copy of a buffer is needed from the start of a task that overwrites it until the end of the last
// task that uses it before the next one. A part that is needed counts as the whole buffer. Parameters, masters, gradients, optimizer state and caches
// outlive a step and always count. If there are more than `most_points` times, each entry holds the
// largest value of some that follow each other. Pure.
[[nodiscard]] MemoryOverTime memory_over_time(const plan::StepPlan& plan,
                                              std::span<const TaskRecord> records,
                                              std::size_t most_points);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_MEMORY_OVER_TIME_H_
