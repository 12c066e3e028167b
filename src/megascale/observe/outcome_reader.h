#ifndef MEGASCALE_OBSERVE_OUTCOME_READER_H_
#define MEGASCALE_OBSERVE_OUTCOME_READER_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "megascale/base/step_outcome.h"

namespace megascale::observe {

// The outcomes of the last steps of a rank, from its record ring.
struct Outcomes {
  std::uint32_t process_id = 0;  // of the writer
  std::uint64_t plan = 0;        // a digest of the plan's digest
  std::array<std::uint64_t, kReplicaGroups> groups{};
  std::vector<StepOutcome> steps;  // ascending
};
// Reads those of steps after `after`. Empty if there is no ring at `path`, or if it has none of them.
[[nodiscard]] Outcomes read_outcomes(const std::filesystem::path& path, std::int64_t after);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_OUTCOME_READER_H_
