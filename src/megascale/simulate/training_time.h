#ifndef MEGASCALE_SIMULATE_TRAINING_TIME_H_
#define MEGASCALE_SIMULATE_TRAINING_TIME_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace megascale::simulate {

// A training that failures interrupt. After every interval of steps it stands still for a
// checkpoint. Failures are a Poisson process over the whole job; each throws away what was done
// since the last checkpoint that was completed, and the training goes on from there after the
// recovery. A failure may strike at any time: during a recovery that begins it again, during a
// checkpoint that one is lost with its interval. All times in seconds.
struct FailingTraining {
  double step_seconds = 1;                   // above 0
  std::uint64_t checkpoint_every_steps = 1;  // at least 1
  double checkpoint_seconds = 0;
  double recovery_seconds = 0;     // detection, restart, loading
  double failures_per_second = 0;  // of all nodes together; 0: there are none

  [[nodiscard]] double interval_seconds() const noexcept {  // of steps
    return static_cast<double>(checkpoint_every_steps) * step_seconds;
  }
};

// Where the time of one training went. The times add up to all of it but for a part of a step at
// the end.
struct TrainingTime {
  std::uint64_t failures = 0;
  std::uint64_t steps = 0;       // that stand at the end, those behind the last checkpoint too
  std::uint64_t steps_lost = 0;  // whole steps that failures threw away
  double checkpoint_seconds = 0, recovery_seconds = 0;
  double repeated_seconds = 0;  // of work that failures threw away
  double effective_share = 0;   // steps x step_seconds / all time (MegaScale, arXiv 2402.15627)
};

// By trial: a training of `seconds`. Pure: a trial depends on `seed` and its number alone. Takes
// time by the number of failures, not of steps. `seconds` above 0.
[[nodiscard]] std::vector<TrainingTime> simulate_training(const FailingTraining& training,
                                                          double seconds, std::uint64_t seed,
                                                          std::uint32_t trials);

// The effective share of a training without end, in closed form. With T = tau + S seconds of an
// interval's steps and its checkpoint, at a rate lambda: an attempt fails before T with
// probability 1 - e^(-lambda T); a recovery R that may fail itself takes (e^(lambda R) - 1) /
// lambda on average; so an interval takes e^(lambda R) (e^(lambda T) - 1) / lambda, of which tau
// counts.
[[nodiscard]] double expected_share(const FailingTraining& training) noexcept;

// The checkpoint_every_steps with the highest expected_share, by the exact minimum of the closed
// form. None where there are no failures: the longer the better.
[[nodiscard]] std::optional<std::uint64_t> best_checkpoint_every(const FailingTraining& training);

// The first-order estimate of the same interval, sqrt(2 S / lambda) seconds (Young 1974, "A first
// order approximation to the optimum checkpoint interval"; Daly 2006 has higher orders). Good where
// S is far below 1 / lambda. Infinite where there are no failures.
[[nodiscard]] double young_daly_seconds(const FailingTraining& training) noexcept;

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_TRAINING_TIME_H_
