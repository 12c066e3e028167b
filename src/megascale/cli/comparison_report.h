#ifndef MEGASCALE_CLI_COMPARISON_REPORT_H_
#define MEGASCALE_CLI_COMPARISON_REPORT_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "megascale/study/forecast/run_comparison.h"

namespace megascale::cli {

// Prints the predicted and measured times of a step, with the ten op kinds that differ most.
// Returns all of them for --json. `world_size` is the number of ranks of the job.
nlohmann::ordered_json print_comparison(const study::RunComparison& compared,
                                        std::uint32_t world_size);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_COMPARISON_REPORT_H_
