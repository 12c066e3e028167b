#ifndef MEGASCALE_CLI_DEVICE_REPORT_H_
#define MEGASCALE_CLI_DEVICE_REPORT_H_

#include <nlohmann/json_fwd.hpp>

#include "megascale/cli/command.h"
#include "megascale/study/measure/device_ops.h"
#include "megascale/study/measure/device_times.h"

// Options and output that the benchmarks on a CUDA device share.
namespace megascale::cli {

// The options for the sizes at which the roofs of a device are measured.
struct RoofArguments {
  kernels::cuda::RoofSizes sizes;
  void add_to(Command& command);
};

// Each print() writes to stdout; each to_json() returns the same values for --json.
void print(const study::DeviceRoofs& roofs);
[[nodiscard]] nlohmann::ordered_json to_json(const study::DeviceRoofs& roofs);
[[nodiscard]] nlohmann::ordered_json to_json(const cuda::SensorSummary& sensors);

void print(const study::DeviceTimes& times, const study::ClassTimes& classes);
[[nodiscard]] nlohmann::ordered_json to_json(const study::DeviceTimes& times,
                                             const study::ClassTimes& classes);

// Prints a line for every op: its rates, as shares of the measured roofs (best GEMM, copy) and of
// the published peak; if dense products were timed, those of grouped products as shares of theirs.
void print(const study::DeviceOps& ops);
[[nodiscard]] nlohmann::ordered_json to_json(const study::DeviceOps& ops);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_DEVICE_REPORT_H_
