#ifndef MEGASCALE_STUDY_CALIBRATE_CALIBRATION_CASES_H_
#define MEGASCALE_STUDY_CALIBRATE_CALIBRATION_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/config/config.h"

namespace megascale::study {

// A small training job whose steps are measured for calibration.
struct CalibrationCase {
  std::string name;
  Config config;
  // True for jobs of one rank, which has a processor to itself. The rates of kernels come from
  // them.
  [[nodiscard]] bool is_alone() const noexcept { return config.parallel.world_size == 1; }
  // The number of data-parallel ranks that execute the same kernels as the job of one rank: at
  // least one rank for each processor. 0: not a case of this kind.
  std::int64_t copies = 0;
  // A crowded case: there are more ranks than processors, and the ranks wait for each other's data.
  bool is_crowd = false;
  // True for jobs of two ranks, which show the transfers between them.
  [[nodiscard]] bool is_pair() const noexcept { return !is_alone() && copies == 0 && !is_crowd; }
};

// Returns the jobs of a calibration. `threads` is the number of threads per rank; `processors` is
// the number of ranks that the host can run without sharing cores. For each hidden size there are:
// - a GPT-2-like and a Llama-like model on one rank;
// - the GPT-2-like model on two ranks, for every kind of transfer, without overlap;
// - the Llama-like model with experts on two ranks, in both ways of dispatch;
// - if the host has several processors, data-parallel jobs with one, two and four ranks per
//   processor;
// - for medium widths, crowded tensor-parallel jobs with two and four ranks per processor, with and
//   without overlap.
[[nodiscard]] std::vector<CalibrationCase> calibration_cases(
    const std::vector<std::int64_t>& hidden_sizes, std::int64_t threads, std::int64_t processors);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_CALIBRATION_CASES_H_
