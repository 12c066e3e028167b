#ifndef MEGASCALE_STUDY_CALIBRATE_CALIBRATION_CASES_H_
#define MEGASCALE_STUDY_CALIBRATE_CALIBRATION_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/config/config.h"

namespace megascale::study {

// A small job whose steps are measured for calibration.
struct CalibrationCase {
  std::string name;
  Config config;
  // The one rank has a processor of its own. Its kernels give the rates.
  [[nodiscard]] bool is_alone() const noexcept { return config.parallel.world_size == 1; }
  // Not 0: so many ranks run the kernels of the one rank, as many as there are processors or more.
  std::int64_t copies = 0;
  // There are more ranks than processors, and they wait for each other's bytes.
  bool is_crowd = false;
  // Two ranks, for the transfers between them.
  [[nodiscard]] bool is_pair() const noexcept { return !is_alone() && copies == 0 && !is_crowd; }
};

// The jobs of a calibration, with `threads` threads a rank. By width:
// - a GPT-2-like and a Llama-like model on one rank;
// - the GPT-2-like model on two ranks for every kind of transfer, without overlap;
// - where the host has several `processors`: one, two and four ranks per processor that do the
// same;
//   and two and four that wait for ranks of other processors, with overlap and without.
[[nodiscard]] std::vector<CalibrationCase> calibration_cases(
    const std::vector<std::int64_t>& hidden_sizes, std::int64_t threads, std::int64_t processors);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_CALIBRATION_CASES_H_
