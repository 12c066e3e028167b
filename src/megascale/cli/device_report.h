#ifndef MEGASCALE_CLI_DEVICE_REPORT_H_
#define MEGASCALE_CLI_DEVICE_REPORT_H_

#include <nlohmann/json.hpp>

#include "megascale/cli/command.h"
#include "megascale/study/measure/device_ops.h"
#include "megascale/study/measure/device_times.h"

// What benchmarks on a CUDA device take and print.
namespace megascale::cli {

// The sizes with which the roofs of a device are measured, as several benchmarks take them.
struct RoofArguments {
  kernels::cuda::RoofSizes sizes;
  void add_to(Command& command);
};

void print(const study::DeviceRoofs& roofs);
[[nodiscard]] nlohmann::ordered_json to_json(const study::DeviceRoofs& roofs);
[[nodiscard]] nlohmann::ordered_json to_json(const cuda::SensorSummary& sensors);

void print(const study::DeviceTimes& times, const study::ClassTimes& classes);
[[nodiscard]] nlohmann::ordered_json to_json(const study::DeviceTimes& times,
                                             const study::ClassTimes& classes);

// A line for every op, its rates beside the best GEMM and the copy that were measured, and beside
// the published peak.
void print(const study::DeviceOps& ops);
[[nodiscard]] nlohmann::ordered_json to_json(const study::DeviceOps& ops);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_DEVICE_REPORT_H_
