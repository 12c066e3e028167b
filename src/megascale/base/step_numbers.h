#ifndef MEGASCALE_BASE_STEP_NUMBERS_H_
#define MEGASCALE_BASE_STEP_NUMBERS_H_

#include <cstdint>

// Small records in the arena that carry the scalars of a step, such as the learning rate or the
// decision to skip an update. Tasks read and write them as operands, so control flow stays inside
// the plan. They are plain data, with float64 and int64 fields only, and have the same layout on
// hosts and devices.
namespace megascale {

// The host fills it for every step. It lies in the batch's staging buffer, before the samples.
struct StepNumbers {
  // Written together with the batch, which may be loaded during the step before.
  std::int64_t step = 0;
  double learning_rate = 0;
  // Written by the rank's own thread just before the step starts, so that a request to stop waits
  // for one step at most. See Votes.
  double votes = 0;
};

// How many ranks want what, as one number that sums over ranks can add exactly: a float64 holds
// integers below 2^53, and each count needs 26 bits.
struct Votes {
  std::int64_t stop = 0;  // ranks that were asked to stop before this step
  std::int64_t busy = 0;  // ranks that were still writing a checkpoint when this step began
  static constexpr std::int64_t kUnit = std::int64_t{1} << 26;
  static constexpr std::int64_t kMostRanks = kUnit - 1;
  [[nodiscard]] constexpr double sum() const noexcept {
    return static_cast<double>(stop + kUnit * busy);
  }
  [[nodiscard]] static constexpr Votes of(double sum) noexcept {
    const auto votes = static_cast<std::int64_t>(sum);
    return {.stop = votes % kUnit, .busy = votes / kUnit};
  }
};

// Persists between steps and is saved with the optimizer state.
struct UpdateState {
  std::int64_t updates = 0;  // steps whose update was applied; the t of Adam's bias correction
  std::int64_t skipped = 0;  // steps whose update was skipped
};

// Results of one step that are known before its update. Optimizer tasks read them, and the host
// reads them after the step.
struct UpdateScalars {
  double loss_sum = 0;        // over the valid tokens of all micro-batches and ranks
  double valid_tokens = 0;    // tokens of all micro-batches and ranks that count in the loss
  double gradient_norm = 0;   // of the mean loss, before clipping
  double gradient_scale = 0;  // multiplies the summed gradients: clip factor / valid tokens
  double learning_rate = 0;
  std::int64_t updates = 0;  // Adam's t of this update
  std::int64_t skip = 0;     // not 0: weights, moments and Adam's t stay as they are
  double votes = 0;          // Votes::sum() over all ranks; equal on all ranks
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_STEP_NUMBERS_H_
