#ifndef MEGASCALE_TRAIN_SAVE_RATE_H_
#define MEGASCALE_TRAIN_SAVE_RATE_H_

#include <cstdint>

namespace megascale::train {

// How far a save beside steps has come.
struct SaveProgress {
  std::uint64_t nbytes_left = 0;  // to write, and to read back
  std::int64_t interval = 0;      // steps between two checkpoints
  std::int64_t steps = 0;         // since the copy that is being saved
  double step_seconds = 0;        // how long a step takes; 0: not known
};

// Returns the bytes per second at which the rest of the save ends before the next checkpoint is due;
// 0, no limit, if that cannot be said. The slower a save is, the less it disturbs the steps.
[[nodiscard]] double save_rate(const SaveProgress& progress) noexcept;

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_SAVE_RATE_H_
