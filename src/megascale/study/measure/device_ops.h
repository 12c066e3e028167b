#ifndef MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_
#define MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/cuda/sensors.h"
#include "megascale/study/measure/device_roofs.h"
#include "megascale/study/statistics.h"

namespace megascale::study {

// Times single ops on a CUDA device, and measures the roofs of the device for comparison (`megascale
// bench gemm`, `attention` and `experts`). A roof is the highest rate that the device reaches.

// Matrix products, grouped ones too; attention; ops that choose experts, move rows to and from them, and
// compute with these rows.
enum class TimedOps { gemm, attention, experts };

struct DeviceOpsOptions {
  TimedOps timed = TimedOps::gemm;
  kernels::cuda::RoofSizes roofs;  // sizes at which the roofs are measured
  int repetitions = 20;            // timed runs of each op
};

// Of a grouped product.
struct ExpertProduct {
  // The rows of the experts with the fewest and the most, as the device counted them.
  std::int64_t rows_min = 0, rows_max = 0;
  // The time of one dense product, by cuBLASLt, with the rows of all experts: as many FLOPs.
  // Only with TimedOps::experts.
  std::optional<Spread> dense_seconds;
};

// An op with its shapes, and its times over the repetitions.
struct DeviceOp {
  std::string name;
  Spread seconds;
  double flops = 0, nbytes = 0;  // of one run; nbytes as least_nbytes() counts them
  double best_flops = 0;         // roof of its FLOPs, in FLOP/s
  std::optional<ExpertProduct> experts;
  // Return FLOP/s and bytes per second, by the median time.
  [[nodiscard]] double rate() const noexcept { return flops / seconds.median; }
  [[nodiscard]] double bandwidth() const noexcept { return nbytes / seconds.median; }
};

// The times of all ops.
struct DeviceOps {
  std::string device;  // name of the device
  DeviceRoofs roofs;
  cuda::SensorSummary sensors;
  std::vector<DeviceOp> ops;  // in the order of the configurations and of their plans
};

// Times single ops of rank 0's training plans on the first CUDA device. Each op runs by itself, at
// the addresses that the plan gives its operands, on random numbers. Choices of experts, and what
// follows from them (counts and maps of rows), are computed as in a step. Ops with equal kind and
// shapes are timed once. `configs` (at least one) must have train.device = cuda; the roofs are
// measured with the first one. Makes device 0 the current device of the calling thread. Throws
// Error, for example unsupported if there is no device, or if products of experts need counts of
// other ranks.
[[nodiscard]] DeviceOps time_device_ops(std::span<const Config> configs,
                                        const DeviceOpsOptions& options);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DEVICE_OPS_H_
