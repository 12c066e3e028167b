// Declares and checks the options about failures. They belong together: if one is given, all but
// the length of the training must be. All errors are reported at once.
#include "megascale/cli/failure_arguments.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace megascale::cli {
namespace {

constexpr double kDefaultDays = 30;
// Upper bound of the expected failures. A training with more would make no progress, and the time
// to simulate it grows with the number of failures.
constexpr double kMostFailures = 1e6;

// An option whose value is a real number: name, value, upper bound, and the text for errors.
struct Quantity {
  const char* name;
  const std::optional<double>& value;
  double most;
  const char* expected;
};

std::array<Quantity, 4> quantities_of(const FailureArguments& a) {
  return {{{"--failures-per-node-day", a.failures_per_node_day, 1000, "failures from 0 to 1000"},
           {"--checkpoint-seconds", a.checkpoint_seconds, 1e7, "seconds from 0 to 1e7"},
           {"--recovery-seconds", a.recovery_seconds, 1e7, "seconds from 0 to 1e7"},
           {"--training-days", a.training_days, 36500, "days above 0, at most 36500"}}};
}

}  // namespace

void FailureArguments::add_to(Command& command) {
  command.option("--failures-per-node-day", failures_per_node_day,
                 "failures of a node per day: reports the effective training time over weeks; "
                 "needs the next three options");
  command.option("--checkpoint-every", checkpoint_every, "steps between two checkpoints");
  command.option("--checkpoint-seconds", checkpoint_seconds,
                 "pause of the training for a checkpoint");
  command.option("--recovery-seconds", recovery_seconds,
                 "from a failure until steps continue: detection, restart, loading");
  command.option("--training-days", training_days, "length of the training (default 30)");
}

bool FailureArguments::any() const noexcept {
  return failures_per_node_day || checkpoint_every || checkpoint_seconds || recovery_seconds ||
         training_days;
}

void FailureArguments::check(std::int64_t nodes, std::vector<Error>& errors) const {
  if (!any()) return;
  const auto wrong = [&](std::string text) {
    errors.emplace_back(ErrorCode::bad_usage, std::move(text));
  };
  const auto missing = [&](const char* name) {
    wrong(
        fmt::format("{}: missing; a training with failures needs --failures-per-node-day, "
                    "--checkpoint-every, --checkpoint-seconds and --recovery-seconds",
                    name));
  };
  bool in_bounds = true;
  for (const auto& [name, value, most, expected] : quantities_of(*this)) {
    const bool is_days = &value == &training_days;
    if (!value) {
      if (!is_days) missing(name);
    } else if (!(*value >= 0 && *value <= most) || (is_days && *value == 0)) {
      wrong(fmt::format("{} {}: expected {}", name, *value, expected));
      in_bounds = false;
    }
  }
  if (!checkpoint_every) {
    missing("--checkpoint-every");
  } else if (*checkpoint_every < 1 || *checkpoint_every > 1'000'000'000) {
    wrong(fmt::format("--checkpoint-every {}: expected steps from 1 to 1000000000",
                      *checkpoint_every));
  }
  const double failures = failures_per_node_day.value_or(0) * static_cast<double>(nodes) *
                          training_days.value_or(kDefaultDays);
  if (in_bounds && failures > kMostFailures) {
    wrong(
        fmt::format("--failures-per-node-day {}: {} failures of {} nodes in {} days; expected at "
                    "most {}",
                    *failures_per_node_day, failures, nodes, training_days.value_or(kDefaultDays),
                    kMostFailures));
  }
}

study::FailureAssumptions FailureArguments::assumptions() const {
  return {.failures_per_node_day = *failures_per_node_day,
          .checkpoint_every_steps = static_cast<std::uint64_t>(*checkpoint_every),
          .checkpoint_seconds = *checkpoint_seconds,
          .recovery_seconds = *recovery_seconds,
          .days = training_days.value_or(kDefaultDays)};
}

}  // namespace megascale::cli
