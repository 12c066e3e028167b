#ifndef MEGASCALE_STUDY_FORECAST_TRAINING_FORECAST_H_
#define MEGASCALE_STUDY_FORECAST_TRAINING_FORECAST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "megascale/simulate/training_time.h"

// Forecasts weeks of training in which nodes fail: how much of the time produces steps that remain.
// Simulates many trainings, and evaluates the closed form of the same model.
namespace megascale::study {

inline constexpr double kSecondsPerDay = 86400;

// Assumptions about the cluster and the checkpoints. The caller has checked that all values are in
// range.
struct FailureAssumptions {
  double failures_per_node_day = 0;
  std::uint64_t checkpoint_every_steps = 1;
  double checkpoint_seconds = 0;  // pause of the training for a checkpoint
  double recovery_seconds = 0;    // from a failure until steps continue
  double days = 30;               // length of the training
};

// The median, the 5 % quantile and the 95 % quantile over all trials.
struct Quantiles {
  double median = 0, p5 = 0, p95 = 0;
};

// A checkpoint interval in steps, and the effective share of the time that an endless training has
// with it.
struct IntervalChoice {
  std::uint64_t steps = 0;
  double share = 0;
};

// The simulated trainings and their assumptions.
struct TrainingForecast {
  simulate::FailingTraining training;
  std::int64_t nodes = 0;
  double days = 0;
  std::uint64_t seed = 0;
  std::vector<simulate::TrainingTime> trials;

  // Return the quantiles of one quantity over the trials.
  [[nodiscard]] Quantiles quantiles(double simulate::TrainingTime::*member) const;
  [[nodiscard]] Quantiles quantiles(std::uint64_t simulate::TrainingTime::*member) const;
  // Returns the interval with the highest share. Returns nothing if there are no failures, since
  // longer intervals are then always better.
  [[nodiscard]] std::optional<IntervalChoice> best_interval() const;
  // Returns the interval by the estimate of Young and Daly (simulate::young_daly_seconds), rounded
  // to whole steps, at least one. Requires failures.
  [[nodiscard]] IntervalChoice young_daly_interval() const;
};

// Simulates 100 trainings of a job on `nodes` nodes whose step takes `step_seconds`. A pure
// function: the same arguments give the same trials.
[[nodiscard]] TrainingForecast forecast_training(const FailureAssumptions& assumptions,
                                                 double step_seconds, std::int64_t nodes,
                                                 std::uint64_t seed);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_TRAINING_FORECAST_H_
