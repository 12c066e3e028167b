#ifndef MEGASCALE_TRAIN_SKIPPED_STEPS_H_
#define MEGASCALE_TRAIN_SKIPPED_STEPS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "megascale/config/config.h"
#include "megascale/engine/engine.h"

namespace megascale::train {

// Counts consecutive steps without an update, and decides when the run has diverged. All ranks
// count the same steps, so they stop together.
class SkippedSteps {
 public:
  explicit SkippedSteps(const Config& config) : config_(config) {}
  // Goes on counting where the run that saved a checkpoint stopped.
  void restore(std::int64_t in_a_row) noexcept { in_a_row_ = in_a_row; }
  // Counts a step. Returns a message for the log if one is due: for the first skipped step in a
  // row, and then one for each log interval, so that a run that has diverged does not fill the
  // disk.
  std::optional<std::string> count(const engine::StepResult& step);
  [[nodiscard]] std::int64_t in_a_row() const noexcept { return in_a_row_; }
  // Returns whether train.max_skipped_steps is reached.
  [[nodiscard]] bool has_diverged() const noexcept;
  // Returns the message with which the run stops after has_diverged(). It names the newest healthy
  // checkpoint.
  [[nodiscard]] std::string why(std::int64_t steps_done) const;

 private:
  const Config& config_;
  std::int64_t in_a_row_ = 0;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_SKIPPED_STEPS_H_
