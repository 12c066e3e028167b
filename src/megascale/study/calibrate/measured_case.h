#ifndef MEGASCALE_STUDY_CALIBRATE_MEASURED_CASE_H_
#define MEGASCALE_STUDY_CALIBRATE_MEASURED_CASE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "megascale/observe/comparison.h"
#include "megascale/observe/run_records.h"
#include "megascale/plan/verify.h"
#include "megascale/study/calibrate/calibration_cases.h"

namespace megascale::study {

// A calibration case and the task records of its measured steps.
class MeasuredCase {
 public:
  // Plans the case and measures nothing yet. Throws Error.
  explicit MeasuredCase(CalibrationCase of);
  // Runs the job for `steps` more steps and adds their records. A few warm-up steps before them are
  // dropped. Throws Error.
  void measure(std::int64_t steps);

  [[nodiscard]] const CalibrationCase& of() const noexcept { return of_; }
  [[nodiscard]] const std::vector<plan::VerifiedPlan>& plans() const noexcept { return plans_; }
  [[nodiscard]] const observe::RunRecords& run() const noexcept { return run_; }
  // Returns the times of a step: medians over all measured steps.
  [[nodiscard]] observe::StepTimes times() const;

 private:
  CalibrationCase of_;
  std::vector<plan::VerifiedPlan> plans_;
  std::vector<std::shared_ptr<const plan::StepPlan>> plan_of_;  // for each rank
  observe::RunRecords run_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_MEASURED_CASE_H_
