#ifndef MEGASCALE_CLI_FAILURE_ARGUMENTS_H_
#define MEGASCALE_CLI_FAILURE_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/study/forecast/training_forecast.h"

namespace megascale::cli {

// The options of `simulate` that describe weeks of training with failures.
struct FailureArguments {
  std::optional<double> failures_per_node_day, checkpoint_seconds, recovery_seconds, training_days;
  std::optional<std::int64_t> checkpoint_every;  // steps
  void add_to(Command& command);
  // Returns whether any of the options is given.
  [[nodiscard]] bool any() const noexcept;
  // Appends an error for each missing or wrong option to `errors`. `nodes` is the number of nodes
  // of the job.
  void check(std::int64_t nodes, std::vector<Error>& errors) const;
  // Returns the assumptions. Requires any() and a check() without errors.
  [[nodiscard]] study::FailureAssumptions assumptions() const;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_FAILURE_ARGUMENTS_H_
