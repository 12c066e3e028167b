#ifndef MEGASCALE_ENGINE_WIDE_WEIGHTS_H_
#define MEGASCALE_ENGINE_WIDE_WEIGHTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "megascale/plan/model_state.h"

namespace megascale::engine {

// Frozen weights in bfloat16 have no float32 masters. Checkpoints hold all weights in float32, so while
// the state of a rank is loaded or saved, these have float32 values on the host: in an image of the arena, behind
// the last buffer of the state. Immutable; any thread may use it.
class WideWeights {
 public:
  explicit WideWeights(const plan::ModelState& state);
  // Returns the offset in the image of the first value of a bucket; nothing if it has masters, or is float32.
  [[nodiscard]] std::optional<std::uint64_t> offset(std::size_t bucket) const noexcept {
    return offsets_[bucket];
  }
  [[nodiscard]] static bool is_wide(const plan::FlatBucket& bucket) noexcept {
    return bucket.masters == bucket.parameters && bucket.dtype != DType::float32;
  }
  // Where the image ends, bytes.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

 private:
  std::vector<std::optional<std::uint64_t>> offsets_;
  std::uint64_t end_ = 0;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_WIDE_WEIGHTS_H_
