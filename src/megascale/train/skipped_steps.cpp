// A skipped step leaves the weights as they were. If step after step is skipped, the weights
// themselves are the cause, and further steps cannot help.
#include "megascale/train/skipped_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/checkpoint/open.h"
#include "megascale/train/start_point.h"

namespace megascale::train {

std::optional<std::string> SkippedSteps::count(const engine::StepResult& step) {
  in_a_row_ = step.skipped ? in_a_row_ + 1 : 0;
  const std::int64_t interval = std::max<std::int64_t>(config_.train.log_interval, 1);
  if (in_a_row_ == 0 || in_a_row_ % interval != (interval > 1 ? 1 : 0)) return std::nullopt;
  return fmt::format(
      "step {}: update skipped, because loss {} and gradient norm {} are not both finite ({} in a "
      "row)",
      step.step + 1, step.loss, step.gradient_norm, in_a_row_);
}

bool SkippedSteps::has_diverged() const noexcept {
  return config_.train.max_skipped_steps > 0 && in_a_row_ >= config_.train.max_skipped_steps;
}

std::string SkippedSteps::why(std::int64_t steps_done) const {
  std::string text = fmt::format(
      "step {}: the last {} steps in a row were skipped, because loss or gradient norm were not "
      "finite; the run has diverged and stops (train.max_skipped_steps = {})",
      steps_done, in_a_row_, config_.train.max_skipped_steps);
  const auto healthy =
      checkpoint::newest_healthy(checkpoint_directory(config_), steps_done - in_a_row_);
  if (!healthy)
    return text +
           "; there is no healthy checkpoint: begin again, for instance with a lower "
           "optimizer.lr or a longer warm-up";
  return text + fmt::format(
                    "; the newest healthy checkpoint is {}: to go on from it, give another "
                    "train.run_dir with --set checkpoint.load={} and a lower optimizer.lr "
                    "(--set checkpoint.allow_changes=schedule)",
                    healthy->string(), healthy->string());
}

}  // namespace megascale::train
