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
  // One rank has a processor of its own: its kernels are the rates.
  [[nodiscard]] bool is_alone() const noexcept { return config.parallel.world_size == 1; }
  // Copies of the one rank with the same kernels: as many as there are processors, or more.
  std::int64_t copies = 0;
  // Ranks that wait for each other's bytes and outnumber processors.
  bool is_crowd = false;
  // Two ranks, for the transfers between them.
  [[nodiscard]] bool is_pair() const noexcept { return !is_alone() && copies == 0 && !is_crowd; }
};

// GPT-2-like and Llama-like models of these widths on one rank; the first of the two on two ranks
// for every kind of transfer, with nothing beside it (overlap off); and where there are several
// `processors`, one, two and four ranks on each, and two and four that wait for those of other
// processors, with that overlapped and without. `threads` of a rank.
[[nodiscard]] std::vector<CalibrationCase> calibration_cases(
    const std::vector<std::int64_t>& hidden_sizes, std::int64_t threads, std::int64_t processors);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_CALIBRATE_CALIBRATION_CASES_H_
