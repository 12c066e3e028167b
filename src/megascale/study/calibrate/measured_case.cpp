// Runs a calibration case as a training job in a temporary run directory, and reads the task
// records that the run left there.
#include "megascale/study/calibrate/measured_case.h"

#include <iterator>
#include <utility>

#include "megascale/engine/engine.h"
#include "megascale/study/calibrate/calibration_samples.h"
#include "megascale/study/measure/step_measurement.h"
#include "megascale/study/temporary_directory.h"

namespace megascale::study {
namespace {

// Warm-up steps, in which pages are mapped and threads move to their cores. They are dropped.
constexpr std::int64_t kWarmup = 2;

}  // namespace

MeasuredCase::MeasuredCase(CalibrationCase of)
    : of_(std::move(of)), plans_(plans_of(job::plan_job(of_.config))) {
  for (const plan::VerifiedPlan& plan : plans_) plan_of_.push_back(plan.shared_plan());
}

void MeasuredCase::measure(std::int64_t steps) {
  const TemporaryDirectory scratch;
  (void)measure_steps(of_.config,
                      {.steps = steps,
                       .warmup = kWarmup,
                       .run_dir = scratch.path(),
                       .peak = 1},  // the utilisation is not used
                      nullptr);
  observe::RunRecords run = observe::read_run(scratch.path(), plan_of_);
  run_.ranks = run.ranks;
  run_.steps.resize(run.ranks.size());
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    std::move(run.steps[r].begin() + kWarmup, run.steps[r].end(),
              std::back_inserter(run_.steps[r]));
  }
}

observe::StepTimes MeasuredCase::times() const { return observe::measured_times(run_, plan_of_); }

}  // namespace megascale::study
