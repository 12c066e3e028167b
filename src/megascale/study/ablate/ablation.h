#ifndef MEGASCALE_STUDY_ABLATE_ABLATION_H_
#define MEGASCALE_STUDY_ABLATE_ABLATION_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "megascale/study/ablate/ablation_rows.h"

// Times the rows of an ablation table (`megascale ablate`). Each measurement of a row is a new
// process of this program with the command line that a user would type. Rows therefore do not
// influence each other, and a user can repeat any row alone.
namespace megascale::study {

// How the rows are timed.
struct AblationOptions {
  // The configuration file, and overrides that hold for every row.
  std::filesystem::path config;
  std::vector<std::string> overrides;
  std::int64_t ranks = 0;  // 0: as in the configuration
  std::int64_t rounds = 5, steps = 1, warmup = 1, batch_factor = 4;
  bool processes = false;
  std::string cluster;  // cluster file on which rows are simulated; empty: rows are measured here
  std::string expert_load;  // of simulated rows, as expert_loads() reads it; empty: even loads

  [[nodiscard]] Timing timing() const noexcept {
    return cluster.empty() ? Timing::measured : Timing::simulated;
  }
};

// The measurements of a row, with one value for each round. `seconds`, `exposed` and `data_wait`
// are seconds; `bubble` is a share of the step.
struct RowTimes {
  double tokens = 0, flops = 0;  // per step; FLOPs as MFU credits them
  std::vector<double> seconds, exposed, bubble, data_wait;

  // Adds the JSON result of `bench step` or `simulate`. A simulation has one step time instead of a
  // median, and no data_wait_seconds.
  void add(const nlohmann::ordered_json& said);
  // Rates of the step of median length. `peak`: FLOP/s of all ranks.
  [[nodiscard]] double tokens_per_second() const;
  [[nodiscard]] double mfu(double peak) const;
};

struct TimedRow {
  AblationRow row;
  RowTimes times;  // empty if the job does not use the technique
};

// The gains of each row. A row that the job does not use gains nothing over the row before. The first
// of `rows` is the baseline. `peak`: FLOP/s of all ranks.
struct AblationGains {
  // Percentage points of MFU, over the nearest earlier row that the job uses and over the baseline.
  std::vector<double> over_before, over_baseline;
  std::vector<double> throughput;  // tokens per second, of the baseline's
};
[[nodiscard]] AblationGains gains_of(std::span<const TimedRow> rows, double peak);

// The timed table.
struct Ablation {
  std::int64_t rounds = 0;
  // FLOP/s of all ranks. It is measured once, by the first row, so that the MFU of rows can be
  // compared.
  double peak_flops = 0;
  std::vector<TimedRow> rows;
};
// Times all rows once in each of `options.rounds` rounds (simulated rows: one round). Other work on
// the machine then affects all rows alike. `on_message` gets a line before each measurement. Throws
// Error.
[[nodiscard]] Ablation run_ablation(const AblationOptions& options, std::vector<AblationRow> rows,
                                    const std::function<void(const std::string&)>& on_message);

// Returns the command line that times a row, without the program's name. `peak` is FLOP/s of all
// ranks; 0: the command measures it.
[[nodiscard]] std::vector<std::string> command_of(const AblationOptions& options,
                                                  const AblationRow& row, double peak);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_ABLATE_ABLATION_H_
