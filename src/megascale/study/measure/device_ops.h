#ifndef MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_
#define MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_

#include <string>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/cuda/sensors.h"
#include "megascale/study/measure/device_roofs.h"
#include "megascale/study/statistics.h"

namespace megascale::study {

// Times single ops on a CUDA device, and measures the roofs of the device for comparison (`megascale
// bench gemm` and `megascale bench attention`). A roof is the highest rate that the device reaches.
struct DeviceOpsOptions {
  OpClass timed = OpClass::gemm;   // the ops to time
  kernels::cuda::RoofSizes roofs;  // sizes at which the roofs are measured
  int repetitions = 20;            // timed runs of each op
};

// An op with its shapes, and its times over the repetitions.
struct DeviceOp {
  std::string name;
  Spread seconds;
  double flops = 0, nbytes = 0;  // of one run; nbytes as least_nbytes() counts them
  double best_flops = 0;         // roof of its FLOPs, in FLOP/s
  // Return FLOP/s and bytes per second, by the median time.
  [[nodiscard]] double rate() const noexcept { return flops / seconds.median; }
  [[nodiscard]] double bandwidth() const noexcept { return nbytes / seconds.median; }
};

// The times of all ops of the class.
struct DeviceOps {
  std::string device;  // name of the device
  DeviceRoofs roofs;
  cuda::SensorSummary sensors;
  std::vector<DeviceOp> ops;  // in the order of the plan
};

// Times single ops of rank 0's training plan on the first CUDA device. Each op runs by itself, on
// random operands at the addresses that the plan gives them. Ops with equal kind and shapes are
// timed once. `config` must have train.device = cuda. Makes device 0 the current device of the
// calling thread. Throws Error, for example unsupported if there is no device.
[[nodiscard]] DeviceOps time_device_ops(const Config& config, const DeviceOpsOptions& options);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_
