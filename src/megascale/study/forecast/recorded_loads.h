#ifndef MEGASCALE_STUDY_FORECAST_RECORDED_LOADS_H_
#define MEGASCALE_STUDY_FORECAST_RECORDED_LOADS_H_

#include <string>

#include "megascale/config/config.h"
#include "megascale/simulate/expert_loads.h"

namespace megascale::study {

// Returns the counts of a recorded run, summed over all lines with loads. `text` is its metrics.jsonl.
// Throws Error (bad_usage), which begins with `name` and the number of the line, if a line is no JSON;
// if its loads are those of another number of experts or of layers without experts here; if a count is
// no whole number from 0 to 2^53; or if an expert has more than one choice of each token. Also if no
// line has loads.
[[nodiscard]] simulate::ExpertLoads parse_recorded_loads(const std::string& text,
                                                         const std::string& name,
                                                         const ModelConfig& model);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_RECORDED_LOADS_H_
