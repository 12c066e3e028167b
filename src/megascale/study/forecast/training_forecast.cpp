// Translates failures per node and day into the rate of the whole job, and runs a fixed number of
// simulated trainings. simulate/training_time.h has the model of failures and the closed form.
#include "megascale/study/forecast/training_forecast.h"

#include <algorithm>
#include <cmath>

#include "megascale/study/statistics.h"

namespace megascale::study {
namespace {

constexpr std::uint32_t kTrials = 100;

// Returns the interval of `steps` steps with its expected effective share.
IntervalChoice choose(simulate::FailingTraining training, std::uint64_t steps) {
  training.checkpoint_every_steps = steps;
  return {steps, simulate::expected_share(training)};
}

template <class Value>
Quantiles quantiles_of(const std::vector<simulate::TrainingTime>& trials,
                       Value simulate::TrainingTime::*member) {
  std::vector<double> values;
  for (const simulate::TrainingTime& time : trials)
    values.push_back(static_cast<double>(time.*member));
  return {spread_of(values).median, quantile(values, 0.05), quantile(values, 0.95)};
}

}  // namespace

Quantiles TrainingForecast::quantiles(double simulate::TrainingTime::*member) const {
  return quantiles_of(trials, member);
}
Quantiles TrainingForecast::quantiles(std::uint64_t simulate::TrainingTime::*member) const {
  return quantiles_of(trials, member);
}

std::optional<IntervalChoice> TrainingForecast::best_interval() const {
  const auto best = simulate::best_checkpoint_every(training);
  if (!best) return std::nullopt;
  return choose(training, *best);
}

IntervalChoice TrainingForecast::young_daly_interval() const {
  const double steps = std::round(simulate::young_daly_seconds(training) / training.step_seconds);
  return choose(training, static_cast<std::uint64_t>(std::clamp(steps, 1.0, 0x1p53)));
}

TrainingForecast forecast_training(const FailureAssumptions& assumptions, double step_seconds,
                                   std::int64_t nodes, std::uint64_t seed) {
  TrainingForecast forecast{
      .training = {.step_seconds = step_seconds,
                   .checkpoint_every_steps = assumptions.checkpoint_every_steps,
                   .checkpoint_seconds = assumptions.checkpoint_seconds,
                   .recovery_seconds = assumptions.recovery_seconds,
                   .failures_per_second = assumptions.failures_per_node_day *
                                          static_cast<double>(nodes) / kSecondsPerDay},
      .nodes = nodes,
      .days = assumptions.days,
      .seed = seed,
      .trials = {}};
  forecast.trials =
      simulate::simulate_training(forecast.training, forecast.days * kSecondsPerDay, seed, kTrials);
  return forecast;
}

}  // namespace megascale::study
