#ifndef MEGASCALE_SIMULATE_TRAINING_TIME_H_
#define MEGASCALE_SIMULATE_TRAINING_TIME_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace megascale::simulate {

// A long training that failures interrupt. After every interval of steps the training pauses for a
// checkpoint. Failures are a Poisson process over the whole job. A failure discards all work since
// the last completed checkpoint; after a recovery the training continues from there. A failure may
// happen at any time: during a recovery, which then starts again, or during a checkpoint, which is
// then lost with its interval. All times are in seconds.
struct FailingTraining {
  double step_seconds = 1;                   // above 0
  std::uint64_t checkpoint_every_steps = 1;  // at least 1
  double checkpoint_seconds = 0;
  double recovery_seconds = 0;     // detection, restart, loading
  double failures_per_second = 0;  // of all nodes together; 0: no failures

  // Returns the seconds of the steps between two checkpoints.
  [[nodiscard]] double interval_seconds() const noexcept {
    return static_cast<double>(checkpoint_every_steps) * step_seconds;
  }
};

// How the time of one training was used. The parts add up to the whole time, except for a fraction
// of a step at the end.
struct TrainingTime {
  std::uint64_t failures = 0;
  std::uint64_t steps = 0;       // steps completed at the end, also those after the last checkpoint
  std::uint64_t steps_lost = 0;  // whole steps that failures discarded
  double checkpoint_seconds = 0, recovery_seconds = 0;
  double repeated_seconds = 0;  // seconds of discarded work
  double effective_share = 0;   // steps x step_seconds / whole time (arXiv 2402.15627)
};

// Simulates `trials` trainings of `seconds` (above 0) each. A pure function: a trial depends only
// on `seed` and its number. The cost grows with the number of failures, not of steps.
[[nodiscard]] std::vector<TrainingTime> simulate_training(const FailingTraining& training,
                                                          double seconds, std::uint64_t seed,
                                                          std::uint32_t trials);

// Returns the expected effective share of an endless training, in closed form:
//   tau       seconds of the steps in an interval
//   S, R      seconds of a checkpoint and of a recovery
//   T         tau + S
//   lambda    failures per second
// An attempt at an interval fails with probability 1 - e^(-lambda T). A recovery, which may fail
// itself, takes (e^(lambda R) - 1) / lambda on average. An interval therefore takes e^(lambda R)
// (e^(lambda T) - 1) / lambda. The share is tau over that.
[[nodiscard]] double expected_share(const FailingTraining& training) noexcept;

// Returns the checkpoint_every_steps with the highest expected_share: the exact minimum of the
// closed form, rounded to the better whole number. Returns nothing if there are no failures, since
// longer intervals are then always better.
[[nodiscard]] std::optional<std::uint64_t> best_checkpoint_every(const FailingTraining& training);

// Returns the first-order estimate of the same interval, sqrt(2 S / lambda) seconds (Young 1974, "A
// first order approximation to the optimum checkpoint interval"; Daly 2006 gives higher orders). It
// is accurate if S is far below 1 / lambda. Infinite if there are no failures.
[[nodiscard]] double young_daly_seconds(const FailingTraining& training) noexcept;

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_TRAINING_TIME_H_
