#ifndef MEGASCALE_CLI_TRAINING_FORECAST_H_
#define MEGASCALE_CLI_TRAINING_FORECAST_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/simulate/training_time.h"

namespace megascale::cli {

// The options of simulate about weeks of training with failures.
struct FailureArguments {
  std::optional<double> failures_per_node_day, checkpoint_seconds, recovery_seconds, training_days;
  std::optional<std::int64_t> checkpoint_every;
  void add_to(Command& command);
  [[nodiscard]] bool any() const noexcept;
  // Appends everything that is wrong to `errors`; `nodes` of the job.
  void check(std::int64_t nodes, std::vector<Error>& errors) const;
};

// What becomes of a training in which nodes fail: simulated, and in closed form.
struct TrainingForecast {
  simulate::FailingTraining training;
  std::int64_t nodes = 0;
  double days = 0;
  std::uint64_t seed = 0;
  std::vector<simulate::TrainingTime> trials;
};

// `arguments` checked and any() of them given.
[[nodiscard]] TrainingForecast forecast_training(const FailureArguments& arguments,
                                                 double step_seconds, std::int64_t nodes,
                                                 std::uint64_t seed);

void print(const TrainingForecast& forecast);
[[nodiscard]] nlohmann::ordered_json to_json(const TrainingForecast& forecast);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_TRAINING_FORECAST_H_
