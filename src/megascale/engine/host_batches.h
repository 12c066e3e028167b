#ifndef MEGASCALE_ENGINE_HOST_BATCHES_H_
#define MEGASCALE_ENGINE_HOST_BATCHES_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "megascale/data/dataset.h"

namespace megascale::engine {

// Reads a batch once for all ranks of a host that need the same samples (2402.15627, section 3.4).
//
// These ranks are the members. The first member that asks for a step reads its batch into shared
// memory, and the others copy from there. The state of the exchange lies in the same memory, so
// members may be threads, or processes with a shared memory segment. They may share one object or
// have one each.
// No member depends on another one to get its data. A member reads the batch itself if the shared
// memory is still in use by a late member, or if the reader has failed or takes too long.
//
// Threads: one thread per member may call next().
class HostBatches {
 public:
  struct Shape {
    std::uint32_t members = 1;
    std::uint32_t micro_batches = 1;
    std::uint64_t tokens = 0;  // of a micro-batch
  };
  // Steps that the shared memory holds: the one being read, and the one that late members still
  // copy.
  static constexpr std::uint64_t kSlots = 2;
  // The four fields of a Batch in their order, for one micro-batch; each has Shape::tokens
  // elements.
  using Fields = std::array<std::span<std::int32_t>, 4>;

  // When a member stops waiting for the reader and reads the batch itself.
  struct Waiting {
    std::chrono::nanoseconds at_most{0};
    // Returns true if waiting is useless, for instance because a member's process has ended. A
    // waiting member calls it about every 20 ms, on its own thread. May be empty.
    std::function<bool()> is_vain;
  };

  // Returns the size of the shared memory in bytes. It does not fall if a number of the shape
  // rises.
  [[nodiscard]] static std::uint64_t nbytes(const Shape& shape) noexcept;
  // Borrows `memory`: at least nbytes(shape) bytes, aligned to 64, zero before the first member
  // uses it. All members pass the same memory and shape.
  HostBatches(std::span<std::byte> memory, const Shape& shape, Waiting waiting);

  // Given by the caller of next(): `Read` fills the fields of micro-batch m of the step, `Take`
  // uses them. The fields are valid until the call returns.
  using Read = std::function<void(std::uint32_t m, const Fields& fields)>;
  using Take = std::function<void(std::uint32_t m, const Fields& fields)>;
  // Calls `take` for every micro-batch of a step, in order. All members must call it for the same
  // steps in the same order. If this member is the first, it calls `read` for all micro-batches
  // before. `own` is memory for one micro-batch, used if the member reads the batch only for
  // itself. Throws what `read` throws.
  void next(std::uint32_t member, std::int64_t step, const Fields& own, const Read& read,
            const Take& take);

 private:
  // A turn is the number of a call of next(), equal for all members; turn t uses slot t % kSlots.
  enum class Phase : std::uint32_t { reading = 1, full, failed };
  [[nodiscard]] static std::uint32_t state(std::uint64_t turn, Phase phase) noexcept;
  [[nodiscard]] std::uint64_t& turns_of(std::uint32_t member) const noexcept;
  [[nodiscard]] std::uint32_t& state_of(std::uint64_t slot) const noexcept;
  [[nodiscard]] std::int64_t& step_of(std::uint64_t slot) const noexcept;
  [[nodiscard]] Fields fields(std::uint64_t slot, std::uint32_t micro_batch) const noexcept;
  // Returns true if no member still uses the slot of this turn for an earlier turn.
  [[nodiscard]] bool is_left(std::uint64_t turn) const noexcept;
  // Fills the slot of the turn, or waits until another member has filled it. Returns false if the
  // caller must read the batch only for itself.
  bool provide(std::uint64_t turn, std::int64_t step, const Read& read);
  void read_into(std::uint64_t turn, std::int64_t step, const Read& read);

  std::span<std::byte> memory_;
  Shape shape_;
  Waiting waiting_;
};

// A rank's membership in a HostBatches.
struct HostSeat {
  HostBatches* batches = nullptr;  // borrowed; null: the rank reads its batches itself
  std::uint32_t member = 0;        // its number, from 0 to Shape::members - 1
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_HOST_BATCHES_H_
