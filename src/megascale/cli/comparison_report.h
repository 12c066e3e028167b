#ifndef MEGASCALE_CLI_COMPARISON_REPORT_H_
#define MEGASCALE_CLI_COMPARISON_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>

#include "megascale/study/forecast/run_comparison.h"

namespace megascale::cli {

// Prints the comparison, of its op kinds the ten that differ most, and returns all of it.
nlohmann::ordered_json print_comparison(const study::RunComparison& compared,
                                        std::uint32_t world_size);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_COMPARISON_REPORT_H_
