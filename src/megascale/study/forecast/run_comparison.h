#ifndef MEGASCALE_STUDY_FORECAST_RUN_COMPARISON_H_
#define MEGASCALE_STUDY_FORECAST_RUN_COMPARISON_H_

#include <cstddef>
#include <vector>

#include "megascale/observe/comparison.h"
#include "megascale/observe/run_records.h"
#include "megascale/study/forecast/simulated_step.h"

namespace megascale::study {

// A simulated step beside the steps that a run of the same plans recorded. Seconds, means over the
// ranks that the run has records of.
struct RunComparison {
  std::size_t steps = 0;  // of the run: their medians are compared
  std::size_t ranks = 0;
  // The step and the parts that it consists of; its kinds of ops, those that differ most first.
  std::vector<observe::Difference> parts, by_op;
};

// `step`: simulated with keeps_records. Uses the newest `last` steps of the run (0: all).
[[nodiscard]] RunComparison compare_with_run(const SimulatedStep& step,
                                             const observe::RunRecords& run, std::size_t last);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_RUN_COMPARISON_H_
