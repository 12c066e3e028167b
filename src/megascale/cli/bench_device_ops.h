#ifndef MEGASCALE_CLI_BENCH_DEVICE_OPS_H_
#define MEGASCALE_CLI_BENCH_DEVICE_OPS_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "megascale/cli/device_roofs.h"
#include "megascale/config/config.h"
#include "megascale/plan/step_plan.h"

namespace megascale::cli {

// Times single ops of rank 0's training plan on the first CUDA device, each by itself over random
// operands at the places that the plan gives them: of several tasks alike one. Prints a line each,
// the rates beside the best GEMM and the copy that were measured, and beside the published peak.
struct DeviceOpsOptions {
  std::function<bool(const plan::PlanOp&)> wanted;
  kernels::cuda::RoofSizes roofs;
  int repetitions = 20;
};
// `config`: with train.device = cuda. Throws Error: unsupported without a device.
nlohmann::ordered_json time_device_ops(const Config& config, const DeviceOpsOptions& options);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_BENCH_DEVICE_OPS_H_
