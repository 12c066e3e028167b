#ifndef MEGASCALE_CLI_FORECAST_REPORT_H_
#define MEGASCALE_CLI_FORECAST_REPORT_H_

#include <nlohmann/json_fwd.hpp>

#include "megascale/study/forecast/training_forecast.h"

// The output of `megascale simulate` about weeks of training with failures, as text and as JSON.
namespace megascale::cli {

void print(const study::TrainingForecast& forecast);
[[nodiscard]] nlohmann::ordered_json to_json(const study::TrainingForecast& forecast);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_FORECAST_REPORT_H_
