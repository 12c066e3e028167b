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

// The batches of ranks of one host that take the same samples, read once (2402.15627, section 3.4):
// whoever comes first reads a step's batch into memory that all have, the others copy from there.
// The state lies in that memory too, so that the members may be threads or, over a shared segment,
// processes; every member has an object of its own or shares one. No member depends on another to
// get its data: where the memory is still in use by one that is late, or the reader is stopped or
// has failed, a member reads for itself. Thread safety: next() by one thread per member.
class HostBatches {
 public:
  struct Shape {
    std::uint32_t members = 1;
    std::uint32_t micro_batches = 1;
    std::uint64_t tokens = 0;  // of a micro-batch
  };
  static constexpr std::uint64_t kSlots = 2;  // steps: one that is read, one that some still copy
  using Fields = std::array<std::span<std::int32_t>, 4>;  // as of Batch, each of Shape::tokens

  // How long a member waits for the one that reads, before it reads for itself.
  struct Waiting {
    std::chrono::nanoseconds at_most{0};
    // No reason to wait any longer: a member's process has ended, say. Asked now and then by who
    // waits; may be empty.
    std::function<bool()> is_vain;
  };

  // Bytes that the members need, and that are zero before the first uses them; rises with each of
  // the shape's numbers.
  [[nodiscard]] static std::uint64_t nbytes(const Shape& shape) noexcept;
  // Borrows `memory`, aligned to 64.
  HostBatches(std::span<std::byte> memory, const Shape& shape, Waiting waiting);

  // The callers' ways to read micro-batch m of the step, and to use what was read. `take` sees the
  // fields until it returns.
  using Read = std::function<void(std::uint32_t m, const Fields& fields)>;
  using Take = std::function<void(std::uint32_t m, const Fields& fields)>;
  // Member's next step: all members call this for the same steps in the same order. `own` is memory
  // for a micro-batch that is read alone. Throws what `read` throws.
  void next(std::uint32_t member, std::int64_t step, const Fields& own, const Read& read,
            const Take& take);

 private:
  enum class Phase : std::uint32_t { reading = 1, full, failed };
  [[nodiscard]] static std::uint32_t state(std::uint64_t turn, Phase phase) noexcept;
  [[nodiscard]] std::uint64_t& turns_of(std::uint32_t member) const noexcept;
  [[nodiscard]] std::uint32_t& state_of(std::uint64_t slot) const noexcept;
  [[nodiscard]] std::int64_t& step_of(std::uint64_t slot) const noexcept;
  [[nodiscard]] Fields fields(std::uint64_t slot, std::uint32_t micro_batch) const noexcept;
  // Whether nobody uses the slot of this turn any more for an earlier one.
  [[nodiscard]] bool is_left(std::uint64_t turn) const noexcept;
  // Reads the turn into its slot, or waits until its reader has; false: the caller must read alone.
  bool provide(std::uint64_t turn, std::int64_t step, const Read& read);
  void read_into(std::uint64_t turn, std::int64_t step, const Read& read);

  std::span<std::byte> memory_;
  Shape shape_;
  Waiting waiting_;
};

// Where a rank gets its batches from.
struct HostSeat {
  HostBatches* batches = nullptr;  // null: nobody on this host takes the same samples
  std::uint32_t member = 0;
};

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_HOST_BATCHES_H_
