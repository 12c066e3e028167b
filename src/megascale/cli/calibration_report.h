#ifndef MEGASCALE_CLI_CALIBRATION_REPORT_H_
#define MEGASCALE_CLI_CALIBRATION_REPORT_H_

#include <nlohmann/json.hpp>
#include <span>

#include "megascale/cli/measured_case.h"
#include "megascale/simulate/cluster.h"

// What `megascale calibrate` says about the file that it wrote. Both add to `json`.
namespace megascale::cli {

void print_calibrated(const simulate::Cluster& cluster, nlohmann::ordered_json& json);
// The steps that the cluster was made of, simulated with it.
void print_residuals(const simulate::Cluster& cluster, std::span<const MeasuredCase> measured,
                     nlohmann::ordered_json& json);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_CALIBRATION_REPORT_H_
