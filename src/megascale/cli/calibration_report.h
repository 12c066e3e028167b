#ifndef MEGASCALE_CLI_CALIBRATION_REPORT_H_
#define MEGASCALE_CLI_CALIBRATION_REPORT_H_

#include <nlohmann/json.hpp>
#include <span>

#include "megascale/simulate/cluster.h"
#include "megascale/study/calibrate/measured_case.h"

// What `megascale calibrate` says about the file that it wrote. Both add to `json`.
namespace megascale::cli {

void print_calibrated(const simulate::Cluster& cluster, nlohmann::ordered_json& json);
// The steps that the cluster was made of, simulated with it.
void print_residuals(const simulate::Cluster& cluster,
                     std::span<const study::MeasuredCase> measured, nlohmann::ordered_json& json);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_CALIBRATION_REPORT_H_
