#ifndef MEGASCALE_STUDY_CALIBRATE_CALIBRATION_SAMPLES_H_
#define MEGASCALE_STUDY_CALIBRATE_CALIBRATION_SAMPLES_H_

#include <span>
#include <vector>

#include "megascale/job/job_plan.h"
#include "megascale/observe/run_records.h"
#include "megascale/simulate/calibration.h"

namespace megascale::study {

// What records say about the costs of ops. A sample of computation is the median over the steps of
// the mean over a step's tasks. The mean counts the long tasks, of which every step has its share;
// the median leaves out a step that was held up as a whole.
struct CalibrationSamples {
  std::vector<simulate::WorkSample> by_flops, by_bytes;  // computation, of ops with FLOPs; others
  // Seconds from when the last member could have started until the last one was done; medians.
  std::vector<simulate::WorkSample> transfers;
  // Seconds between two tasks of the compute lane without a wait; means of steps.
  std::vector<double> launch_seconds;
  std::vector<double> wake_seconds;  // from the end of a transfer to the start of its waiting task
};

// The proven plans of all ranks.
[[nodiscard]] std::vector<plan::VerifiedPlan> plans_of(const job::JobPlan& job);

// Adds the samples of a run, of all its steps; `ranks`: plans_of() its job.
void add_compute_samples(std::span<const plan::VerifiedPlan> ranks, const observe::RunRecords& run,
                         CalibrationSamples& samples);
void add_transfer_samples(std::span<const plan::VerifiedPlan> ranks, const observe::RunRecords& run,
                          CalibrationSamples& samples);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_CALIBRATION_SAMPLES_H_
