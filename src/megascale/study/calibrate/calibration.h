#ifndef MEGASCALE_STUDY_CALIBRATE_CALIBRATION_H_
#define MEGASCALE_STUDY_CALIBRATE_CALIBRATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/simulate/cluster.h"
#include "megascale/study/calibrate/measured_case.h"

// Measures the kernels and transfers of this machine and describes it as a cluster, on which jobs
// can be simulated (`megascale calibrate`).
namespace megascale::study {

struct CalibrationOptions {
  std::string name = "this machine";
  std::vector<std::int64_t> hidden_sizes{64, 128, 256, 512, 768};  // multiples of 64
  // Passes over all cases; measured steps of each case in a pass; threads of a rank.
  std::int64_t rounds = 3, steps = 2, threads = 1;
  double seconds = 0.2;  // length of each repetition when a peak rate is measured
};

// The described machine, and the measurements behind the description.
struct Calibration {
  simulate::Cluster cluster;
  std::vector<MeasuredCase> cases;  // the measured cases that `cluster` was fitted to
};

// Measures and fits; takes minutes, and uses all cores of the process. `on_message` gets a line for
// each case of a round. Throws Error.
[[nodiscard]] Calibration calibrate(const CalibrationOptions& options,
                                    const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_CALIBRATION_H_
