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

// Measures the training steps of a job on random tokens (`megascale bench step`): step time, idle
// times, time by op, and on a device also the roofs.
namespace megascale::study {

// Which tasks of the plan do their work. All other tasks take no time. The order of the tasks and
// their waits do not change.
enum class Working {
  all,
  computation,   // transfers wait for partners, move almost no bytes
  communication  // kernels return at once
};

// How the steps are measured.
struct MeasureOptions {
  std::int64_t steps = 5, warmup = 2;  // timed steps, and steps before them
  Working working = Working::all;
  // Only transfers of groups whose name begins with this text move bytes. Empty: all groups.
  std::string group;
  // Run directory for the records of all steps, which `megascale trace` reads. Empty: no records
  // are written.
  std::filesystem::path run_dir;
  double peak = 0;  // FLOP/s of all ranks' cores, if the caller knows it; 0: it is measured
  // On a device: after the steps its roofs are measured with these sizes, and the ops of rank 0 are
  // timed alone. Absent: neither is done.
  std::optional<kernels::cuda::RoofSizes> roofs;
};

// Losses of the first step, warm-up included, and of the last one: means over the tokens, nats.
struct StepLosses {
  double first = 0, last = 0;
};

// The measured steps. With several ranks, step times are those of rank 0; the ranks stay together
// because each step exchanges norms. Idle times are means over all ranks.
struct StepMeasurement {
  std::vector<double> seconds;  // by step
  // Idle seconds of the compute lane, by step.
  std::vector<double> exposed_comm, bubble, data_wait;
  std::vector<double> bubble_share;  // by step: bubble over the rank's own step time
  observe::TimeByOp by_op;           // of rank 0 in its step of median length
  plan::StepFlops flops;             // of all ranks
  double peak = 0;  // FLOP/s of all ranks' cores; measured before and after, the larger value
  std::uint32_t ranks = 1;
  std::uint64_t arena_nbytes = 0;    // of the rank with the largest arena
  std::optional<StepLosses> losses;  // absent if some tasks do not do their work
  std::int64_t skipped = 0;          // steps whose update was skipped: gradients were not finite
  // Read after the first step, if there are several. Absent on the CPU.
  std::optional<engine::DeviceMemoryUse> device_memory;
  std::optional<DeviceTimes> device_times;  // if MeasureOptions::roofs is set

  // Returns the MFU of the step of median length.
  [[nodiscard]] double mfu() const;
};

// Runs the steps of `config`, which must be resolved and valid; its data sets are not read.
// `process` describes this rank if ranks are processes; null: ranks are threads of this process.
// Returns nothing on a process that is not rank 0. Throws Error.
std::optional<StepMeasurement> measure_steps(const Config& config, const MeasureOptions& options,
                                             const comm::ProcessLaunch* process);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_STEP_MEASUREMENT_H_
