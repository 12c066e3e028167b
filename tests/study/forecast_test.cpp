// Forecasts and the effects that are told beside a simulated step, against figures worked out by
// hand.
#include <gtest/gtest.h>

#include <cmath>

#include "megascale/study/forecast/jitter_effect.h"
#include "megascale/study/forecast/run_comparison.h"
#include "megascale/study/forecast/slow_node_cost.h"
#include "megascale/study/forecast/training_forecast.h"

namespace megascale::study {
namespace {

constexpr FailureAssumptions kAssumptions{.failures_per_node_day = 0.01,
                                          .checkpoint_every_steps = 100,
                                          .checkpoint_seconds = 5,
                                          .recovery_seconds = 60,
                                          .days = 2};

TEST(TrainingForecastTest, TheTrainingIsThatOfTheAssumptions) {
  const TrainingForecast forecast = forecast_training(kAssumptions, 10, 100, 7);
  EXPECT_DOUBLE_EQ(forecast.training.failures_per_second, 1 / kSecondsPerDay);  // 100 nodes
  EXPECT_EQ(forecast.training.step_seconds, 10);
  EXPECT_EQ(forecast.training.interval_seconds(), 1000);
  EXPECT_EQ(forecast.trials.size(), 100U);
  EXPECT_EQ(forecast.nodes, 100);
  // The same seed, the same trials; another seed, others.
  EXPECT_EQ(forecast_training(kAssumptions, 10, 100, 7).trials[3].steps, forecast.trials[3].steps);
  const auto other = forecast_training(kAssumptions, 10, 100, 8);
  bool differs = false;
  for (std::size_t i = 0; i < other.trials.size(); ++i)
    differs = differs || other.trials[i].steps != forecast.trials[i].steps;
  EXPECT_TRUE(differs);
}

TEST(TrainingForecastTest, QuantilesAreOfTheTrials) {
  TrainingForecast forecast;
  for (std::uint64_t i = 100; i > 0; --i) {
    forecast.trials.push_back({.failures = i});
    forecast.trials.back().effective_share = 0.01 * static_cast<double>(i);
  }
  const Quantiles failures = forecast.quantiles(&simulate::TrainingTime::failures);
  EXPECT_EQ(failures.p5, 5);
  EXPECT_EQ(failures.median, 51);  // the upper of the two in the middle
  EXPECT_EQ(failures.p95, 95);
  EXPECT_DOUBLE_EQ(forecast.quantiles(&simulate::TrainingTime::effective_share).p95, 0.95);
}

TEST(TrainingForecastTest, TheBestIntervalIsBesideYoungs) {
  const TrainingForecast forecast = forecast_training(kAssumptions, 10, 100, 7);
  // sqrt(2 S / lambda) = sqrt(2 * 5 * 86400) = 929.5 s: 93 steps of 10 s.
  EXPECT_EQ(forecast.young_daly_interval().steps, 93U);
  const auto best = forecast.best_interval();
  ASSERT_TRUE(best.has_value());
  EXPECT_NEAR(static_cast<double>(best->steps), 93, 2);
  EXPECT_GE(best->share, forecast.young_daly_interval().share);
  FailureAssumptions none = kAssumptions;
  none.failures_per_node_day = 0;
  EXPECT_FALSE(forecast_training(none, 10, 100, 7).best_interval().has_value());
  // An interval of less than a step is one step.
  EXPECT_EQ(forecast_training(kAssumptions, 1e5, 100, 7).young_daly_interval().steps, 1U);
}

SimulatedStep step_of(double seconds, std::vector<SimulatedRanks> ranks) {
  SimulatedStep step{.seconds = seconds};
  step.ranks = std::move(ranks);
  return step;
}

TEST(SlowNodeCostTest, NamesTheRankThatComputesMostLonger) {
  const SimulatedStep even = step_of(
      10, {{.rank = 0, .stage = 0, .busy_seconds = 6}, {.rank = 4, .stage = 1, .busy_seconds = 8}});
  const SimulatedStep slow =
      step_of(11.5, {{.rank = 0, .stage = 0, .busy_seconds = 6},
                     {.rank = 2, .stage = 0, .speed = 0.5, .busy_seconds = 9},
                     {.rank = 5, .stage = 1, .speed = 0.9, .busy_seconds = 10}});
  const SlowNodeCost cost = slow_node_cost(slow, even);
  EXPECT_EQ(cost.even_step_seconds, 10);
  EXPECT_EQ(cost.lost_seconds, 1.5);
  EXPECT_DOUBLE_EQ(cost.lost_share(), 0.15);
  EXPECT_EQ(cost.rank, 2U);
  EXPECT_EQ(cost.extra_compute_seconds, 3);
  EXPECT_DOUBLE_EQ(cost.reaches_step_share().value(), 0.5);
  // No node is slower than the others.
  EXPECT_FALSE(slow_node_cost(even, even).reaches_step_share().has_value());
}

TEST(JitterEffectTest, TheFirstStepDoesNotCount) {
  SimulatedStep with = step_of(0, {});
  with.seconds_by_step = {99, 12, 10, 11};
  const JitterEffect effect = jitter_effect(with, step_of(10, {}));
  EXPECT_EQ(effect.steps, 3U);
  EXPECT_EQ(effect.seconds.median, 11);
  EXPECT_EQ(effect.seconds.max, 12);
  EXPECT_DOUBLE_EQ(effect.ratio(), 1.1);
  with.seconds_by_step = {7};  // of one step, that one
  EXPECT_EQ(jitter_effect(with, step_of(10, {})).steps, 1U);
  EXPECT_EQ(with.steady_seconds().median, 7);
}

TEST(SimulatedStepTest, MeansAreByNumberOfRanks) {
  SimulatedStep step = step_of(10, {{.rank = 0, .count = 3}, {.rank = 3, .count = 1}});
  step.ranks[0].idle.exposed_comm_seconds = 1;
  step.ranks[1].idle.exposed_comm_seconds = 5;
  step.ranks[1].idle.bubble_seconds = 4;
  EXPECT_DOUBLE_EQ(step.mean(&observe::IdleTime::exposed_comm_seconds), 2);
  EXPECT_DOUBLE_EQ(step.waits_share(), 0.3);
  step.peak_flops = 1e12;
  step.world_size = 4;
  EXPECT_DOUBLE_EQ(step.of_peak(2e13), 0.5);
}

}  // namespace
}  // namespace megascale::study
