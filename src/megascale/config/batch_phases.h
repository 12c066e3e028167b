#ifndef MEGASCALE_CONFIG_BATCH_PHASES_H_
#define MEGASCALE_CONFIG_BATCH_PHASES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "megascale/config/config.h"

// The global batch of a run that begins with few sequences and grows (train.rampup_batch_size), as
// Megatron-LM computes it. All functions are pure and expect a resolved configuration; all but
// is_ramp() and with_batch_size() expect a valid ramp.
namespace megascale {

// The most sizes that a global batch may have. Each one is planned and verified before a run starts.
inline constexpr std::int64_t kMostBatchSizes = 128;

// A point of a run: steps done, and samples that they consumed.
struct BatchPoint {
  std::int64_t step = 0, samples = 0;
};

// Consecutive steps with one size of the global batch. A phase ends where the next one begins.
struct BatchPhase {
  std::int64_t first_step = 0;         // counted from 0
  std::int64_t global_batch_size = 0;  // sequences
  std::int64_t samples_before = 0;     // consumed before first_step
  // Returns the samples that are consumed before `step`, which is a step of the phase or its end.
  [[nodiscard]] std::int64_t samples_at(std::int64_t step) const noexcept {
    return samples_before + (step - first_step) * global_batch_size;
  }
};

// Returns whether train.rampup_batch_size can be used: three numbers above 0 of which the first is
// not above global_batch_size, and the second divides the difference.
[[nodiscard]] bool is_ramp(const TrainConfig& train) noexcept;
// Returns how often the batch grows; 0 without rampup_batch_size.
[[nodiscard]] std::int64_t batch_increments(const TrainConfig& train) noexcept;
// Returns all sizes of the global batch, ascending. The last one is global_batch_size; without
// rampup_batch_size it is the only one.
[[nodiscard]] std::vector<std::int64_t> batch_sizes(const TrainConfig& train);
// Returns the phases of a run from a point on, in order. The last one has global_batch_size and no
// end. The size of a step depends only on the samples that were consumed before it: START +
// INCREMENT x floor(samples / (SAMPLES / number of increments)), and global_batch_size from SAMPLES
// on. A size for which no step is left has no phase.
[[nodiscard]] std::vector<BatchPhase> batch_phases(const TrainConfig& train, BatchPoint from = {});
// Returns the samples that are consumed before `step`; for a step before the first phase, what they
// would be if that phase had begun earlier.
[[nodiscard]] std::int64_t samples_before_step(const std::vector<BatchPhase>& phases,
                                               std::int64_t step);
// Returns the configuration of the steps of a phase: `config` with that global_batch_size and
// without a ramp.
[[nodiscard]] Config with_batch_size(Config config, std::int64_t global_batch_size);
// Returns a clause such as "2 sequences from step 1 on, 4 from step 51 on, 6 from step 76 on". Of
// more than `most` phases, the ones in the middle are left out.
[[nodiscard]] std::string to_string(const std::vector<BatchPhase>& phases, std::size_t most = 8);

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_BATCH_PHASES_H_
