#ifndef MEGASCALE_STUDY_MEASURE_STEP_MEASUREMENT_H_
#define MEGASCALE_STUDY_MEASURE_STEP_MEASUREMENT_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "megascale/comm/process/process_rank.h"
#include "megascale/config/config.h"
#include "megascale/engine/device_memory_meter.h"
#include "megascale/observe/time_by_op.h"
#include "megascale/plan/flops.h"
#include "megascale/study/measure/device_times.h"
#include "megascale/study/statistics.h"

namespace megascale::study {

// Which tasks of the plan do their work. The others take no time, but all waits and the order of
// the tasks are kept.
enum class Working {
  all,
  computation,   // transfers wait for their partners and carry nothing
  communication  // kernels return at once
};

struct MeasureOptions {
  std::int64_t steps = 5, warmup = 2;
  Working working = Working::all;
  // Only transfers of groups whose name begins so carry bytes; empty: those of all groups.
  std::string group;
  // Keeps the records of all steps as a run does, for `megascale trace`; empty: nothing is kept.
  std::filesystem::path run_dir;
  double peak = 0;  // FLOP/s of all ranks' cores where the caller knows it; 0: measured
  // On a device: behind the steps its roofs are measured so, and rank 0's ops alone. Absent: not.
  std::optional<kernels::cuda::RoofSizes> roofs;
};

// Steps of a job on random tokens. Where it has several ranks, times are of rank 0 (the norms of a
// step keep ranks together) and idle times are means over all ranks.
struct StepMeasurement {
  std::vector<double> seconds;  // by step
  // By step, seconds of the compute lane.
  std::vector<double> exposed_comm, bubble, data_wait;
  std::vector<double> bubble_share;  // of each rank's own step
  observe::TimeByOp by_op;           // of rank 0, in its step of median length
  plan::StepFlops flops;             // of all ranks
  double peak = 0;  // FLOP/s of all ranks' cores, measured before and after: the larger
  std::uint32_t ranks = 1;
  std::uint64_t arena_nbytes = 0;  // of the largest rank
  std::int64_t skipped = 0;        // updates, of steps that were not finite
  // After the first step of several; absent on the CPU.
  std::optional<engine::DeviceMemoryUse> device_memory;
  std::optional<DeviceTimes> device_times;  // where they were asked for

  [[nodiscard]] double mfu() const;
};

// `config` resolved and valid; its data is not read. Absent on a process that is not rank 0. Throws
// Error.
std::optional<StepMeasurement> measure_steps(const Config& config, const MeasureOptions& options,
                                             const comm::ProcessLaunch* process);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_STEP_MEASUREMENT_H_
