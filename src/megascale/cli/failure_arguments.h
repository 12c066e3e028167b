#ifndef MEGASCALE_CLI_FAILURE_ARGUMENTS_H_
#define MEGASCALE_CLI_FAILURE_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/study/forecast/training_forecast.h"

namespace megascale::cli {

// The options of simulate about weeks of training with failures.
struct FailureArguments {
  std::optional<double> failures_per_node_day, checkpoint_seconds, recovery_seconds, training_days;
  std::optional<std::int64_t> checkpoint_every;
  void add_to(Command& command);
  [[nodiscard]] bool any() const noexcept;
  // Appends everything that is wrong to `errors`; `nodes` of the job.
  void check(std::int64_t nodes, std::vector<Error>& errors) const;
  // Checked, and any() of them given.
  [[nodiscard]] study::FailureAssumptions assumptions() const;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_FAILURE_ARGUMENTS_H_
