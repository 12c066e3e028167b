#ifndef MEGASCALE_CLI_CALIBRATION_REPORT_H_
#define MEGASCALE_CLI_CALIBRATION_REPORT_H_

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "megascale/simulate/cluster.h"
#include "megascale/study/calibrate/measured_case.h"

// The report of `megascale calibrate` about the cluster file that it wrote. Both functions print to
// stdout and add the same values to `json`.
namespace megascale::cli {

// Prints the fitted values.
void print_calibrated(const simulate::Cluster& cluster, nlohmann::ordered_json& json);
// Simulates the measured steps on the calibrated cluster, and prints measured and predicted times.
void print_residuals(const simulate::Cluster& cluster,
                     std::span<const study::MeasuredCase> measured, nlohmann::ordered_json& json);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_CALIBRATION_REPORT_H_
