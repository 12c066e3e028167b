#include "megascale/cli/training_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "megascale/cli/spread.h"

namespace megascale::cli {
namespace {

constexpr double kSecondsPerDay = 86400;
constexpr double kDefaultDays = 30;
constexpr std::uint32_t kTrials = 100;
// A training with more has no time to do anything; simulating one takes time by the failures.
constexpr double kMostFailures = 1e6;

// Names, values and bounds of the options that are numbers of some unit.
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

// Of all trials.
struct Forecast {
  double median = 0, p5 = 0, p95 = 0;
};
template <class Value>
Forecast forecast_of(const TrainingForecast& forecast, Value simulate::TrainingTime::*member) {
  std::vector<double> values;
  for (const simulate::TrainingTime& time : forecast.trials)
    values.push_back(static_cast<double>(time.*member));
  return {spread_of(values).median, quantile(values, 0.05), quantile(values, 0.95)};
}

// A choice of the interval, and what it gives in the long run.
struct Choice {
  std::uint64_t steps = 0;
  double share = 0;
};
Choice choose(simulate::FailingTraining training, std::uint64_t steps) {
  training.checkpoint_every_steps = steps;
  return {steps, simulate::expected_share(training)};
}
Choice by_young_daly(const simulate::FailingTraining& training) {
  const double steps = std::round(simulate::young_daly_seconds(training) / training.step_seconds);
  return choose(training, static_cast<std::uint64_t>(std::clamp(steps, 1.0, 0x1p53)));
}

void print_row(const char* what, const Forecast& row, double unit, int digits) {
  fmt::print("{:>11}{:<28} {:>9.{}f} {:>9.{}f} {:>9.{}f}\n", "", what, row.median / unit, digits,
             row.p5 / unit, digits, row.p95 / unit, digits);
}

nlohmann::ordered_json json_of(const Forecast& row) {
  return {{"median", row.median}, {"p5", row.p5}, {"p95", row.p95}};
}

}  // namespace

void FailureArguments::add_to(Command& command) {
  command.option("--failures-per-node-day", failures_per_node_day,
                 "failures of a node a day: the effective training time over weeks; with the "
                 "three options that follow");
  command.option("--checkpoint-every", checkpoint_every, "steps between two checkpoints");
  command.option("--checkpoint-seconds", checkpoint_seconds,
                 "how long training stands still for a checkpoint");
  command.option("--recovery-seconds", recovery_seconds,
                 "from a failure until steps go on: detection, restart, loading");
  command.option("--training-days", training_days, "how long the training takes (30 without it)");
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

TrainingForecast forecast_training(const FailureArguments& arguments, double step_seconds,
                                   std::int64_t nodes, std::uint64_t seed) {
  TrainingForecast forecast{
      .training = {.step_seconds = step_seconds,
                   .checkpoint_every_steps =
                       static_cast<std::uint64_t>(*arguments.checkpoint_every),
                   .checkpoint_seconds = *arguments.checkpoint_seconds,
                   .recovery_seconds = *arguments.recovery_seconds,
                   .failures_per_second = *arguments.failures_per_node_day *
                                          static_cast<double>(nodes) / kSecondsPerDay},
      .nodes = nodes,
      .days = arguments.training_days.value_or(kDefaultDays),
      .seed = seed,
      .trials = {}};
  forecast.trials =
      simulate::simulate_training(forecast.training, forecast.days * kSecondsPerDay, seed, kTrials);
  return forecast;
}

void print(const TrainingForecast& forecast) {
  const simulate::FailingTraining& training = forecast.training;
  fmt::print(
      "training   {} days, {:.3f} failures a day in {} nodes; every {} steps ({:.1f} s) a "
      "checkpoint of {} s; recovery {} s\n",
      forecast.days, training.failures_per_second * kSecondsPerDay, forecast.nodes,
      training.checkpoint_every_steps, training.interval_seconds(), training.checkpoint_seconds,
      training.recovery_seconds);
  fmt::print("{:>11}{:<28} {:>9} {:>9} {:>9}\n", "",
             fmt::format("of {} trainings, seed {}", kTrials, forecast.seed), "median", "5 %",
             "95 %");
  using Time = simulate::TrainingTime;
  constexpr double kHour = 3600, kPercent = 0.01;
  print_row("effective training time, %", forecast_of(forecast, &Time::effective_share), kPercent,
            2);
  print_row("failures", forecast_of(forecast, &Time::failures), 1, 0);
  print_row("steps lost", forecast_of(forecast, &Time::steps_lost), 1, 0);
  print_row("hours in checkpoints", forecast_of(forecast, &Time::checkpoint_seconds), kHour, 1);
  print_row("hours in recovery", forecast_of(forecast, &Time::recovery_seconds), kHour, 1);
  print_row("hours of repeated work", forecast_of(forecast, &Time::repeated_seconds), kHour, 1);
  fmt::print("           expected {:.2f} % (closed form)",
             100 * simulate::expected_share(training));
  const auto best = simulate::best_checkpoint_every(training);
  if (!best) return fmt::print("; without failures, the rarer the checkpoints the better\n");
  const Choice young = by_young_daly(training);
  fmt::print("; best every {} steps: {:.2f} %; sqrt(2 S / lambda) = {:.1f} s, {} steps: {:.2f} %\n",
             *best, 100 * choose(training, *best).share, simulate::young_daly_seconds(training),
             young.steps, 100 * young.share);
}

nlohmann::ordered_json to_json(const TrainingForecast& forecast) {
  const simulate::FailingTraining& training = forecast.training;
  using Time = simulate::TrainingTime;
  nlohmann::ordered_json json{
      {"days", forecast.days},
      {"nodes", forecast.nodes},
      {"failures_per_day", training.failures_per_second * kSecondsPerDay},
      {"iteration_seconds", training.step_seconds},
      {"checkpoint_every_steps", training.checkpoint_every_steps},
      {"trials", forecast.trials.size()},
      {"seed", forecast.seed},
      {"effective_share", json_of(forecast_of(forecast, &Time::effective_share))},
      {"failures", json_of(forecast_of(forecast, &Time::failures))},
      {"steps", json_of(forecast_of(forecast, &Time::steps))},
      {"steps_lost", json_of(forecast_of(forecast, &Time::steps_lost))},
      {"checkpoint_seconds", json_of(forecast_of(forecast, &Time::checkpoint_seconds))},
      {"recovery_seconds", json_of(forecast_of(forecast, &Time::recovery_seconds))},
      {"repeated_seconds", json_of(forecast_of(forecast, &Time::repeated_seconds))},
      {"expected_share", simulate::expected_share(training)},
      {"best", nullptr},
      {"young_daly", nullptr}};
  if (const auto best = simulate::best_checkpoint_every(training)) {
    json["best"] = {{"steps", *best}, {"expected_share", choose(training, *best).share}};
    const Choice young = by_young_daly(training);
    json["young_daly"] = {{"seconds", simulate::young_daly_seconds(training)},
                          {"steps", young.steps},
                          {"expected_share", young.share}};
  }
  return json;
}

}  // namespace megascale::cli
