#ifndef MEGASCALE_ENGINE_STATE_SNAPSHOT_H_
#define MEGASCALE_ENGINE_STATE_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
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
};

// Which bytes of its arena a rank saves: masters and moments of the parts that have
// StatePart::saved. Neighbours are one range, with the padding between them. A rank whose state
// another one saves has none.
class SnapshotLayout {
 public:
  SnapshotLayout(const plan::ModelState& state, const graph::AxisSizes& axes,
                 const graph::Coordinates& coordinates);
  [[nodiscard]] std::span<const SnapshotRange> ranges() const noexcept { return ranges_; }
  // Bytes of memory that a snapshot takes.
  [[nodiscard]] std::uint64_t nbytes() const noexcept { return nbytes_; }
  // The saved parts, in a snapshot's memory.
  [[nodiscard]] std::vector<StatePart> parts(std::byte* memory) const;

 private:
  std::vector<StatePlace> places_;
  std::vector<SnapshotRange> ranges_;  // by arena_offset
  std::uint64_t nbytes_ = 0;
};

// A rank's state between two steps, as a value: later steps do not change it. It has memory of its
// own on the host, page-aligned and in huge pages where the system has them. All of that memory is
// taken when the object is made, so a save cannot run out of it later. Ranks on the CPU and on
// devices have the same kind of snapshot. Any thread may read it while nobody fills it.
class StateSnapshot {
 public:
  // Takes the memory; empty until Engine::snapshot_into(). Throws Error (out_of_memory).
  explicit StateSnapshot(const SnapshotLayout& layout);

  // Steps that were done.
  [[nodiscard]] std::int64_t step() const noexcept { return step_; }
  [[nodiscard]] const UpdateState& update() const noexcept { return update_; }
  // What this rank saves: StatePart::saved is true for all of them.
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
