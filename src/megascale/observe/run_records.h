#ifndef MEGASCALE_OBSERVE_RUN_RECORDS_H_
#define MEGASCALE_OBSERVE_RUN_RECORDS_H_

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "megascale/observe/ring_file.h"
#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// The steps that all rings of a run directory hold whole.
struct RunRecords {
  std::vector<std::uint32_t> ranks;  // whose rings there are, ascending; never empty
  // By index into `ranks`, then by step: the same steps, oldest first, at least one.
  std::vector<std::vector<RingStep>> steps;
};

// `plans`: by rank, what its records are expected to be of. Throws Error: bad_usage with all
// rings of other plans, with the digests, or where there is no ring, or one of a rank that there is
// no plan of; bad_input: no step that is whole, a file that is no ring or damaged.
[[nodiscard]] RunRecords read_run(const std::filesystem::path& run_dir,
                                  std::span<const std::shared_ptr<const plan::StepPlan>> plans);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RUN_RECORDS_H_
