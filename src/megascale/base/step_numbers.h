#ifndef MEGASCALE_BASE_STEP_NUMBERS_H_
#define MEGASCALE_BASE_STEP_NUMBERS_H_

#include <cstdint>

// The small records through which control flow stays in the plan: they lie in the arena, tasks read
// and write them as operands. Plain data, float64 and int64 only.
namespace megascale {

// Filled by the host for every step, ahead of the batch in its staging buffer.
struct StepNumbers {
  std::int64_t step = 0;
  double learning_rate = 0;
};

// Lives across steps; saved with the optimizer state.
struct UpdateState {
  std::int64_t updates = 0;  // Adam's t: steps that were not skipped
  std::int64_t skipped = 0;
};

// What the step found out before its update; optimizer tasks read it, the host reads it after the
// step.
struct UpdateScalars {
  double loss_sum = 0;  // over the valid tokens of all micro-batches and ranks
  double valid_tokens = 0;
  double gradient_norm = 0;   // of the mean loss, before clipping
  double gradient_scale = 0;  // multiplies the summed gradients: clip factor / valid tokens
  double learning_rate = 0;
  std::int64_t updates = 0;  // Adam's t of this update
  std::int64_t skip = 0;     // not 0: weights, moments and t stay as they are
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_STEP_NUMBERS_H_
