#ifndef MEGASCALE_STUDY_FORECAST_TRAINING_FORECAST_H_
#define MEGASCALE_STUDY_FORECAST_TRAINING_FORECAST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "megascale/simulate/training_time.h"

// What becomes of weeks of training in which nodes fail: many simulated trainings, and the closed
// form beside them.
namespace megascale::study {

inline constexpr double kSecondsPerDay = 86400;

// What is assumed of the cluster and of checkpoints. All values have been checked.
struct FailureAssumptions {
  double failures_per_node_day = 0;
  std::uint64_t checkpoint_every_steps = 1;
  double checkpoint_seconds = 0;  // how long training stands still for a checkpoint
  double recovery_seconds = 0;    // from a failure until steps go on
  double days = 30;               // of the training
};

// Over all trials.
struct Quantiles {
  double median = 0, p5 = 0, p95 = 0;
};

// A checkpoint interval, and the effective share of the time that it gives in the long run.
struct IntervalChoice {
  std::uint64_t steps = 0;
  double share = 0;
};

struct TrainingForecast {
  simulate::FailingTraining training;
  std::int64_t nodes = 0;
  double days = 0;
  std::uint64_t seed = 0;
  std::vector<simulate::TrainingTime> trials;

  // Of one quantity of the trials.
  [[nodiscard]] Quantiles quantiles(double simulate::TrainingTime::*member) const;
  [[nodiscard]] Quantiles quantiles(std::uint64_t simulate::TrainingTime::*member) const;
  // The interval with the highest share. None where nothing fails: then the longer the better.
  [[nodiscard]] std::optional<IntervalChoice> best_interval() const;
  // The interval by Young's estimate, rounded to steps, at least one; see
  // simulate::young_daly_seconds. Only where nodes fail.
  [[nodiscard]] IntervalChoice young_daly_interval() const;
};

// Of a job on `nodes` nodes whose step takes `step_seconds`. Pure: the trials depend on `seed`
// alone.
[[nodiscard]] TrainingForecast forecast_training(const FailureAssumptions& assumptions,
                                                 double step_seconds, std::int64_t nodes,
                                                 std::uint64_t seed);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_TRAINING_FORECAST_H_
