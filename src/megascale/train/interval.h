#ifndef MEGASCALE_TRAIN_INTERVAL_H_
#define MEGASCALE_TRAIN_INTERVAL_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace megascale::train {

// Returns the time between two checkpoints, in seconds, at which a job loses the least: it stands
// still for `stall_seconds` at each, and repeats on average half of the time between two when it
// fails. Both must be above 0. At least the stall.
// Source: J. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps",
// 2006, equation 37; its first term is that of J. Young, 1974.
[[nodiscard]] double best_interval_seconds(double stall_seconds,
                                           double mean_time_between_failures) noexcept;

// How often a job fails.
struct FailureRate {
  double mean_seconds = 0;  // between two failures
  std::string source;       // where that comes from, for messages
};

// When a checkpoint is due: after every N steps, or, if N is "auto", after as many as rank 0 finds
// best. All ranks make the same calls with the same arguments, so they agree.
class Interval {
 public:
  // The first checkpoint of "auto" is taken after so many steps: before it, the stall is not known.
  static constexpr std::int64_t kFirst = 10;

  // `configured` is checkpoint.interval or checkpoint.memory_interval.
  Interval(std::int64_t configured, std::int64_t steps_done, std::int64_t now_ns) noexcept;
  [[nodiscard]] bool is_auto() const noexcept { return is_auto_; }
  // Steps between checkpoints now; 0: none are taken.
  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
  // Returns whether a checkpoint is due after `steps_done` steps. `is_free`: no rank was still
  // writing the last one when the step began. Only for "auto" that also makes the value of the last
  // change() count, which by then all ranks have.
  [[nodiscard]] bool is_due(std::int64_t steps_done, bool is_free) noexcept;
  // The state after `steps_done` steps was copied; steps stood still for `stall_seconds`.
  void copied(std::int64_t steps_done, double stall_seconds, std::int64_t now_ns) noexcept;
  // The step after which the state was copied last; at the start, that of the start.
  [[nodiscard]] std::int64_t last() const noexcept { return last_; }
  // How long a step took between the last two copies, in seconds; 0: not known.
  [[nodiscard]] double step_seconds() const noexcept { return step_seconds_; }
  // The same for the steps since the last copy. `steps_done` must be above last().
  [[nodiscard]] double step_seconds_since(std::int64_t steps_done,
                                          std::int64_t now_ns) const noexcept;
  // Returns the number of steps that is best by what this rank has measured, at least 1; 0 if it
  // cannot be said.
  [[nodiscard]] std::int64_t best_steps(double mean_time_between_failures) const noexcept;
  // Sets the number of steps, if this is "auto" and it is above 0. Returns whether it differs by more
  // than a quarter from the last one for which this returned true.
  [[nodiscard]] bool change(std::int64_t steps) noexcept;

 private:
  bool is_auto_;
  std::int64_t steps_, last_, last_ns_;
  double stall_seconds_ = 0, step_seconds_ = 0;
  std::int64_t next_ = 0;  // the last change(); 0: it counts already
  std::int64_t said_ = 0;
};

// Returns the message about an interval that was chosen. `key` is that of the configuration.
[[nodiscard]] std::string describe_change(std::string_view key, std::int64_t steps,
                                          double stall_seconds, double step_seconds,
                                          const FailureRate& failures);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_INTERVAL_H_
