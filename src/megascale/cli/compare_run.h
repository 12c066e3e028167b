#ifndef MEGASCALE_CLI_COMPARE_RUN_H_
#define MEGASCALE_CLI_COMPARE_RUN_H_

#include <nlohmann/json.hpp>

#include "megascale/cli/simulated_step.h"
#include "megascale/observe/run_records.h"

namespace megascale::cli {

// Prints a simulated step beside the steps that a run of the same plans recorded, the ten op kinds
// that differ most by name, and returns the same. `step`: simulated with keeps_records. Uses the
// newest `last` steps of the run (0: all).
nlohmann::ordered_json compare_with_run(const SimulatedStep& step, const observe::RunRecords& run,
                                        std::size_t last);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_COMPARE_RUN_H_
