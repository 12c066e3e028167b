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

// A case with the records of its steps.
class MeasuredCase {
 public:
  // Plans the case; nothing is measured yet.
  explicit MeasuredCase(CalibrationCase of);
  // Runs `steps` more steps, and some before them whose records are dropped.
  void measure(std::int64_t steps);

  [[nodiscard]] const CalibrationCase& of() const noexcept { return of_; }
  [[nodiscard]] const std::vector<plan::VerifiedPlan>& plans() const noexcept { return plans_; }
  [[nodiscard]] const observe::RunRecords& run() const noexcept { return run_; }
  // Medians over the steps.
  [[nodiscard]] observe::StepTimes times() const;

 private:
  CalibrationCase of_;
  std::vector<plan::VerifiedPlan> plans_;
  std::vector<std::shared_ptr<const plan::StepPlan>> plan_of_;  // by rank
  observe::RunRecords run_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_MEASURED_CASE_H_
