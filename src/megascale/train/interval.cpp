// Rank 0 measures the stall and the step, and sends the number of steps with the next save. So no
// message is added to steps, and all ranks change to it after the same step.
#include "megascale/train/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "megascale/config/config.h"

namespace megascale::train {

double best_interval_seconds(double stall_seconds, double mean_time_between_failures) noexcept {
  const double half = stall_seconds / (2 * mean_time_between_failures);
  if (half >= 1) return std::max(mean_time_between_failures, stall_seconds);
  const double root = std::sqrt(half);
  const double best =
      std::sqrt(2 * stall_seconds * mean_time_between_failures) * (1 + root / 3 + half / 9) -
      stall_seconds;
  return std::max(best, stall_seconds);
}

std::int64_t Interval::best_steps(double mean_time_between_failures) const noexcept {
  if (!(stall_seconds_ > 0 && step_seconds_ > 0 && mean_time_between_failures > 0)) return 0;
  constexpr double kMost = 2e9;  // as the largest checkpoint.interval
  const double steps =
      best_interval_seconds(stall_seconds_, mean_time_between_failures) / step_seconds_;
  return static_cast<std::int64_t>(std::clamp(std::round(steps), 1.0, kMost));
}

Interval::Interval(std::int64_t configured, std::int64_t steps_done, std::int64_t now_ns) noexcept
    : is_auto_(configured == CheckpointConfig::kAuto),
      steps_(is_auto_ ? kFirst : configured),
      last_(steps_done),
      last_ns_(now_ns) {}

double Interval::step_seconds_since(std::int64_t steps_done, std::int64_t now_ns) const noexcept {
  return static_cast<double>(now_ns - last_ns_) * 1e-9 / static_cast<double>(steps_done - last_);
}

void Interval::copied(std::int64_t steps_done, double stall_seconds, std::int64_t now_ns) noexcept {
  if (steps_done > last_) step_seconds_ = step_seconds_since(steps_done, now_ns);
  stall_seconds_ = stall_seconds;
  last_ = steps_done;
  last_ns_ = now_ns;
}

bool Interval::change(std::int64_t steps) noexcept {
  if (!is_auto_ || steps <= 0) return false;
  next_ = steps;
  constexpr double kQuarter = 0.25;
  const auto differs = static_cast<double>(std::abs(steps - said_));
  if (differs <= kQuarter * static_cast<double>(said_)) return false;
  said_ = steps;
  return true;
}

std::string describe_change(std::string_view key, std::int64_t steps, double stall_seconds,
                            double step_seconds, const FailureRate& failures) {
  return fmt::format(
      "{} = \"auto\": every {} steps (stall {:.3f} s, step {:.3f} s, {:.0f} s between "
      "failures, {})",
      key, steps, stall_seconds, step_seconds, failures.mean_seconds, failures.source);
}

bool Interval::is_due(std::int64_t steps_done, bool is_free) noexcept {
  if (!is_auto_) return steps_ > 0 && steps_done % steps_ == 0;
  if (!is_free) return false;
  if (next_ > 0) steps_ = std::exchange(next_, 0);
  return steps_done >= last_ + steps_;
}

}  // namespace megascale::train
