#ifndef MEGASCALE_STUDY_FORECAST_RUN_COMPARISON_H_
#define MEGASCALE_STUDY_FORECAST_RUN_COMPARISON_H_

#include <cstddef>
#include <vector>

#include "megascale/observe/comparison.h"
#include "megascale/observe/run_records.h"
#include "megascale/study/forecast/simulated_step.h"

namespace megascale::study {

// Compares a simulated step with the recorded steps of a run of the same plans (`megascale simulate
// --compare`). All values are seconds, means over the ranks that have records in the run.
struct RunComparison {
  std::size_t steps = 0;  // steps of the run over which the medians are taken
  std::size_t ranks = 0;  // ranks with records
  // The step and its parts; its op kinds, with the largest difference first.
  std::vector<observe::Difference> parts, by_op;
};

// `step` must be simulated with keeps_records. Uses the last `last` steps of the run (0: all). A
// pure function.
[[nodiscard]] RunComparison compare_with_run(const SimulatedStep& step,
                                             const observe::RunRecords& run, std::size_t last);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_RUN_COMPARISON_H_
