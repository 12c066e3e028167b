// Simulates trainings with failures, and evaluates the same model in closed form. Between two
// failures everything is regular, so each stretch is computed with a division instead of step by
// step. Each trial draws its failures from its own range of a counter-based generator (Philox).
#include "megascale/simulate/training_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"

namespace megascale::simulate {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

// Adds the steps and checkpoints of one stretch of `seconds`: from a recovery (or the start) to the
// next failure (`fails`) or to the end.
void work(const FailingTraining& training, double seconds, bool fails, TrainingTime& time) {
  const double interval = training.interval_seconds();
  const double turn = interval + training.checkpoint_seconds;
  const double turns = std::floor(seconds / turn);
  const double rest = std::max(0.0, seconds - turns * turn);
  const double worked = std::min(rest, interval);
  // Rounding must not count more steps than the interval has.
  const std::uint64_t begun = std::min(training.checkpoint_every_steps,
                                       static_cast<std::uint64_t>(worked / training.step_seconds));
  time.steps += static_cast<std::uint64_t>(turns) * training.checkpoint_every_steps;
  time.checkpoint_seconds += turns * training.checkpoint_seconds + (rest - worked);
  if (fails) {
    time.steps_lost += begun;
    time.repeated_seconds += worked;
  } else {
    time.steps += begun;
  }
}

TrainingTime trial(const FailingTraining& training, double seconds, const PhiloxStream& random,
                   std::uint32_t number) {
  TrainingTime time;
  bool recovers = false;
  double now = 0;
  for (std::uint64_t draw = std::uint64_t{number} << 32U; now < seconds; ++draw) {
    const double runs = training.failures_per_second == 0
                            ? kForever
                            : -std::log1p(-random.uniform(draw)) / training.failures_per_second;
    const bool fails = now + runs < seconds;
    const double until = fails ? now + runs : seconds;
    const double recovered = recovers ? std::min(now + training.recovery_seconds, until) : now;
    time.recovery_seconds += recovered - now;
    work(training, until - recovered, fails, time);
    time.failures += fails ? 1 : 0;
    recovers = true;
    now = until;
  }
  time.effective_share = static_cast<double>(time.steps) * training.step_seconds / seconds;
  return time;
}

FailingTraining with_interval(FailingTraining training, std::uint64_t steps) {
  training.checkpoint_every_steps = steps;
  return training;
}

}  // namespace

std::vector<TrainingTime> simulate_training(const FailingTraining& training, double seconds,
                                            std::uint64_t seed, std::uint32_t trials) {
  MEGASCALE_CHECK(training.step_seconds > 0 && training.checkpoint_every_steps > 0 && seconds > 0,
                  "a training has steps, intervals and time");
  const PhiloxStream random(seed, "failures");
  std::vector<TrainingTime> times;
  for (std::uint32_t number = 0; number < trials; ++number)
    times.push_back(trial(training, seconds, random, number));
  return times;
}

double expected_share(const FailingTraining& training) noexcept {
  const double interval = training.interval_seconds();
  const double turn = interval + training.checkpoint_seconds;
  const double rate = training.failures_per_second;
  if (rate == 0) return interval / turn;
  return interval * rate / (std::exp(rate * training.recovery_seconds) * std::expm1(rate * turn));
}

std::optional<std::uint64_t> best_checkpoint_every(const FailingTraining& training) {
  const double rate = training.failures_per_second;
  if (rate == 0) return std::nullopt;
  // The time of an interval over its tau has one minimum. It lies where (1 - rate tau) e^(rate (tau
  // + S)) falls to 1, below tau = 1 / rate. Bisection finds it, on the logarithm of that term.
  double low = 0, high = 1 / rate;
  for (int halving = 0; halving < 200; ++halving) {
    const double tau = (low + high) / 2;
    const double left = std::log1p(-rate * tau) + rate * (tau + training.checkpoint_seconds);
    (left > 0 ? low : high) = tau;
  }
  const auto below = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::min(low / training.step_seconds, 0x1p53)));
  const bool above_is_better = expected_share(with_interval(training, below + 1)) >
                               expected_share(with_interval(training, below));
  return above_is_better ? below + 1 : below;
}

double young_daly_seconds(const FailingTraining& training) noexcept {
  if (training.failures_per_second == 0) return kForever;
  return std::sqrt(2 * training.checkpoint_seconds / training.failures_per_second);
}

}  // namespace megascale::simulate
