// Formats a forecast: quantiles over the simulated trainings, the closed form, the best interval.
#include "megascale/cli/forecast_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace megascale::cli {
namespace {

// Prints a row of quantiles, divided by `unit`.
void print_row(const char* what, const study::Quantiles& row, double unit, int digits) {
  fmt::print("{:>11}{:<28} {:>9.{}f} {:>9.{}f} {:>9.{}f}\n", "", what, row.median / unit, digits,
             row.p5 / unit, digits, row.p95 / unit, digits);
}

nlohmann::ordered_json json_of(const study::Quantiles& row) {
  return {{"median", row.median}, {"p5", row.p5}, {"p95", row.p95}};
}

}  // namespace

void print(const study::TrainingForecast& forecast) {
  const simulate::FailingTraining& training = forecast.training;
  fmt::print(
      "training   {} days, {:.3f} failures a day in {} nodes; every {} steps ({:.1f} s) a "
      "checkpoint of {} s; recovery {} s\n",
      forecast.days, training.failures_per_second * study::kSecondsPerDay, forecast.nodes,
      training.checkpoint_every_steps, training.interval_seconds(), training.checkpoint_seconds,
      training.recovery_seconds);
  fmt::print("{:>11}{:<28} {:>9} {:>9} {:>9}\n", "",
             fmt::format("of {} trainings, seed {}", forecast.trials.size(), forecast.seed),
             "median", "5 %", "95 %");
  using Time = simulate::TrainingTime;
  constexpr double kHour = 3600, kPercent = 0.01;
  print_row("effective training time, %", forecast.quantiles(&Time::effective_share), kPercent, 2);
  print_row("failures", forecast.quantiles(&Time::failures), 1, 0);
  print_row("steps lost", forecast.quantiles(&Time::steps_lost), 1, 0);
  print_row("hours in checkpoints", forecast.quantiles(&Time::checkpoint_seconds), kHour, 1);
  print_row("hours in recovery", forecast.quantiles(&Time::recovery_seconds), kHour, 1);
  print_row("hours of repeated work", forecast.quantiles(&Time::repeated_seconds), kHour, 1);
  fmt::print("           expected {:.2f} % (closed form)",
             100 * simulate::expected_share(training));
  const auto best = forecast.best_interval();
  if (!best) return fmt::print("; without failures, rarer checkpoints are always better\n");
  const study::IntervalChoice young = forecast.young_daly_interval();
  fmt::print("; best every {} steps: {:.2f} %; sqrt(2 S / lambda) = {:.1f} s, {} steps: {:.2f} %\n",
             best->steps, 100 * best->share, simulate::young_daly_seconds(training), young.steps,
             100 * young.share);
}

nlohmann::ordered_json to_json(const study::TrainingForecast& forecast) {
  const simulate::FailingTraining& training = forecast.training;
  using Time = simulate::TrainingTime;
  nlohmann::ordered_json json{
      {"days", forecast.days},
      {"nodes", forecast.nodes},
      {"failures_per_day", training.failures_per_second * study::kSecondsPerDay},
      {"iteration_seconds", training.step_seconds},
      {"checkpoint_every_steps", training.checkpoint_every_steps},
      {"trials", forecast.trials.size()},
      {"seed", forecast.seed},
      {"effective_share", json_of(forecast.quantiles(&Time::effective_share))},
      {"failures", json_of(forecast.quantiles(&Time::failures))},
      {"steps", json_of(forecast.quantiles(&Time::steps))},
      {"steps_lost", json_of(forecast.quantiles(&Time::steps_lost))},
      {"checkpoint_seconds", json_of(forecast.quantiles(&Time::checkpoint_seconds))},
      {"recovery_seconds", json_of(forecast.quantiles(&Time::recovery_seconds))},
      {"repeated_seconds", json_of(forecast.quantiles(&Time::repeated_seconds))},
      {"expected_share", simulate::expected_share(training)},
      {"best", nullptr},
      {"young_daly", nullptr}};
  if (const auto best = forecast.best_interval()) {
    json["best"] = {{"steps", best->steps}, {"expected_share", best->share}};
    const study::IntervalChoice young = forecast.young_daly_interval();
    json["young_daly"] = {{"seconds", simulate::young_daly_seconds(training)},
                          {"steps", young.steps},
                          {"expected_share", young.share}};
  }
  return json;
}

}  // namespace megascale::cli
