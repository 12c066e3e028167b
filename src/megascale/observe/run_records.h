#ifndef MEGASCALE_OBSERVE_RUN_RECORDS_H_
#define MEGASCALE_OBSERVE_RUN_RECORDS_H_

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "megascale/observe/ring_file.h"
#include "megascale/plan/step_plan.h"

namespace megascale::observe {

// The records of a run: the steps that all its ranks have recorded completely, in their rings or as
// kept steps.
struct RunRecords {
  std::vector<std::uint32_t> ranks;  // ranks that have a ring, ascending; never empty
  // The steps of each of `ranks`: the same steps for all, oldest first, at least one.
  std::vector<std::vector<RingStep>> steps;
};

// Returns whether every record of a step names a wait that its task has. A damaged file could name
// any number. The step must have one record for each task of the plan.
[[nodiscard]] bool waits_exist(const plan::StepPlan& plan, const RingStep& step);

// Reads the rings of a run directory. If a record does not tell when the partners of a transfer had
// started it, the time is taken from the partners' records (match_transfers.h). `plans` holds for
// each rank the plan that its records are expected to belong to. Throws Error:
//   bad_usage    there is no ring; a ring belongs to another plan (all such rings are named, with
//                the digests); a ring's rank has no plan
//   bad_input    no step is complete on all ranks; a file is not a ring, or is damaged
[[nodiscard]] RunRecords read_run(const std::filesystem::path& run_dir,
                                  std::span<const std::shared_ptr<const plan::StepPlan>> plans);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RUN_RECORDS_H_
