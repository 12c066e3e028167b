#ifndef MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_
#define MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_

#include <functional>
#include <string>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/cuda/sensors.h"
#include "megascale/plan/step_plan.h"
#include "megascale/study/measure/device_roofs.h"
#include "megascale/study/statistics.h"

namespace megascale::study {

struct DeviceOpsOptions {
  std::function<bool(const plan::PlanOp&)> wanted;
  kernels::cuda::RoofSizes roofs;
  int repetitions = 20;
};

// One kind of task: an op with its shapes.
struct DeviceOp {
  std::string name;
  Spread seconds;
  double flops = 0, nbytes = 0;  // nbytes: see least_nbytes()
  double best_flops = 0;         // FLOP/s of its roof
  [[nodiscard]] double rate() const noexcept { return flops / seconds.median; }
  [[nodiscard]] double bandwidth() const noexcept { return nbytes / seconds.median; }
};

struct DeviceOps {
  std::string device;
  DeviceRoofs roofs;
  cuda::SensorSummary sensors;
  std::vector<DeviceOp> ops;  // in the order of the plan
};

// Times single ops of rank 0's training plan on the first CUDA device, each by itself over random
// operands at the places that the plan gives them; of several tasks alike one. `config`: with
// train.device = cuda. Throws Error: unsupported without a device.
[[nodiscard]] DeviceOps time_device_ops(const Config& config, const DeviceOpsOptions& options);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_
