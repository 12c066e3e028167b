#ifndef MEGASCALE_ENGINE_STATE_SNAPSHOT_H_
#define MEGASCALE_ENGINE_STATE_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "megascale/base/step_numbers.h"
#include "megascale/engine/arena.h"
#include "megascale/engine/state_tensors.h"

namespace megascale::engine {

// Bytes of a rank's arena and their place in a snapshot's memory.
struct SnapshotRange {
  std::uint64_t arena_offset = 0, nbytes = 0;
  std::uint64_t begin = 0;  // in the snapshot's memory
  // Of frozen weights in bfloat16: where they lie in the arena. The snapshot has them in float32, nbytes of
  // them, and arena_offset is that of WideWeights.
  std::optional<std::uint64_t> narrow;
};

// The bytes of its arena that a rank saves: masters and moments of the parts that have
// StatePart::saved. Parts that lie side by side form one range, together with the padding between
// them. A rank whose state another rank saves has no ranges. Immutable after construction.
class SnapshotLayout {
 public:
  SnapshotLayout(const plan::ModelState& state, const graph::AxisSizes& axes,
                 const graph::Coordinates& coordinates);
  [[nodiscard]] std::span<const SnapshotRange> ranges() const noexcept { return ranges_; }
  // Bytes of memory that a snapshot takes.
  [[nodiscard]] std::uint64_t nbytes() const noexcept { return nbytes_; }
  // Returns the saved parts, with values that point into `memory`, the memory of a snapshot.
  [[nodiscard]] std::vector<StatePart> parts(std::byte* memory) const;

 private:
  std::vector<StatePlace> places_;
  std::vector<SnapshotRange> ranges_;  // by arena_offset
  std::uint64_t nbytes_ = 0;
};

// A copy of a rank's state between two steps; later steps do not change it. It has its own memory
// on the host, for ranks on the CPU and on devices alike. All of that memory is allocated and
// touched when the object is made, so a later save cannot run out of memory. Any thread may read a
// snapshot while no thread fills it.
class StateSnapshot {
 public:
  // Allocates the memory. Its content is zero until Engine::snapshot_into(). Throws Error
  // (out_of_memory).
  explicit StateSnapshot(const SnapshotLayout& layout);

  // Returns the number of steps that were done when the state was copied.
  [[nodiscard]] std::int64_t step() const noexcept { return step_; }
  [[nodiscard]] const UpdateState& update() const noexcept { return update_; }
  // Returns the parts that this rank saves (StatePart::saved). They point into this object.
  [[nodiscard]] std::span<const StatePart> parts() const noexcept { return parts_; }
  [[nodiscard]] std::uint64_t nbytes() const noexcept { return memory_->bytes().size(); }

 private:
  friend class Engine;
  std::unique_ptr<Arena> memory_;
  std::vector<StatePart> parts_;
  std::int64_t step_ = 0;
  UpdateState update_;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_STATE_SNAPSHOT_H_
