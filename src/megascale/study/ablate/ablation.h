#ifndef MEGASCALE_STUDY_ABLATE_ABLATION_H_
#define MEGASCALE_STUDY_ABLATE_ABLATION_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "megascale/study/ablate/ablation_rows.h"

// Times the rows of an ablation table: each turn is a process of its own, which starts as a user's
// would.
namespace megascale::study {

struct AblationOptions {
  // What every row's command line begins with.
  std::filesystem::path config;
  std::vector<std::string> overrides;
  std::int64_t ranks = 0;  // 0: what the configuration says
  std::int64_t rounds = 5, steps = 1, warmup = 1, batch_factor = 4;
  bool processes = false;
  std::string cluster;  // rows are simulated on it, not measured here; empty: measured

  [[nodiscard]] Timing timing() const noexcept {
    return cluster.empty() ? Timing::measured : Timing::simulated;
  }
};

// What the turns of a row have measured, one value per round. Seconds; shares of a step.
struct RowTimes {
  double tokens = 0, flops = 0;  // of a step, credited
  std::vector<double> seconds, exposed, bubble, data_wait;

  // Adds what `bench step` says, or `simulate`, which knows of one step and reads no data.
  void add(const nlohmann::ordered_json& said);
  // Of the median step.
  [[nodiscard]] double tokens_per_second() const;
  [[nodiscard]] double mfu(double peak) const;
};

struct TimedRow {
  AblationRow row;
  RowTimes times;  // empty where the technique is not in the job
};

// In points of MFU, by row: over the row before that is in the job, and over the baseline. 0 for
// rows that are not in the job. `rows`: the first is the baseline.
struct AblationGains {
  std::vector<double> over_before, over_baseline;
};
[[nodiscard]] AblationGains gains_of(std::span<const TimedRow> rows, double peak);

struct Ablation {
  std::int64_t rounds = 0;
  double peak_flops =
      0;  // of all ranks; measured in the first turn, then given to all: rows compare
  std::vector<TimedRow> rows;
};
// Times all rows in turn, `options.rounds` times (simulated: once), so that what else the machine
// does meets them alike. `on_message` is told of every turn. Throws Error.
[[nodiscard]] Ablation run_ablation(const AblationOptions& options, std::vector<AblationRow> rows,
                                    const std::function<void(const std::string&)>& on_message);

// The command line of a row's turn, without the program's name.
[[nodiscard]] std::vector<std::string> command_of(const AblationOptions& options,
                                                  const AblationRow& row, double peak);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_ABLATE_ABLATION_H_
