#ifndef MEGASCALE_STUDY_CALIBRATE_CALIBRATION_H_
#define MEGASCALE_STUDY_CALIBRATE_CALIBRATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "megascale/simulate/cluster.h"
#include "megascale/study/calibrate/measured_case.h"

// Measures kernels and transfers of this machine, and describes it as a cluster for simulations.
namespace megascale::study {

struct CalibrationOptions {
  std::string name = "this machine";
  std::vector<std::int64_t> hidden_sizes{64, 128, 256, 512, 768};  // multiples of 64
  // Over all cases; measured steps of each case in a round; of a rank.
  std::int64_t rounds = 3, steps = 2, threads = 1;
  double seconds = 0.2;  // of each repetition of a peak's measurement
};

struct Calibration {
  simulate::Cluster cluster;
  std::vector<MeasuredCase> cases;  // that it was made of
};

// Takes minutes. `on_message` is told of the progress. Throws Error.
[[nodiscard]] Calibration calibrate(const CalibrationOptions& options,
                                    const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_CALIBRATION_H_
