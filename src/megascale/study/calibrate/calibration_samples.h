#ifndef MEGASCALE_STUDY_CALIBRATE_CALIBRATION_SAMPLES_H_
#define MEGASCALE_STUDY_CALIBRATE_CALIBRATION_SAMPLES_H_

#include <span>
#include <vector>

#include "megascale/job/job_plan.h"
#include "megascale/observe/run_records.h"
#include "megascale/simulate/calibration.h"

namespace megascale::study {

// Measured costs of ops, extracted from task records. A compute sample is the median, over the
// steps, of the mean over one step's tasks. The mean includes the long tasks, because every step
// has some. The median excludes a step that was delayed as a whole.
struct CalibrationSamples {
  std::vector<simulate::WorkSample> by_flops, by_bytes;  // compute ops with FLOPs; without
  // Transfers: seconds from when the last member could have started until the last member was done.
  // Medians.
  std::vector<simulate::WorkSample> transfers;
  // Seconds between two tasks of the compute lane if the second has no wait; a mean for each step.
  std::vector<double> launch_seconds;
  // Seconds from the end of a transfer to the start of the task that waited for it.
  std::vector<double> wake_seconds;
};

// Returns the verified plan of each rank of the job.
[[nodiscard]] std::vector<plan::VerifiedPlan> plans_of(const job::JobPlan& job);

// Both functions add the samples of all steps of a run. `ranks` must be plans_of() the run's job.
void add_compute_samples(std::span<const plan::VerifiedPlan> ranks, const observe::RunRecords& run,
                         CalibrationSamples& samples);
void add_transfer_samples(std::span<const plan::VerifiedPlan> ranks, const observe::RunRecords& run,
                          CalibrationSamples& samples);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_CALIBRATION_SAMPLES_H_
