#ifndef MEGASCALE_ENGINE_RANK_MEMORY_H_
#define MEGASCALE_ENGINE_RANK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "megascale/engine/state_snapshot.h"
#include "megascale/plan/model_state.h"

namespace megascale::engine {

// Where a rank's bytes lie: in memory of the host, or on a device, which the host reaches by
// copies. Used by the rank's own thread, between steps.
class RankMemory {
 public:
  RankMemory() = default;
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;
  virtual ~RankMemory() = default;
  // As tasks see it.
  [[nodiscard]] virtual std::span<std::byte> arena() const noexcept = 0;
  // Bytes of the arena, from `offset` on. Throw Error.
  virtual void read(std::span<std::byte> to, std::uint64_t offset) const = 0;
  virtual void write(std::uint64_t offset, std::span<const std::byte> from) = 0;
  // Copies ranges of the arena to a snapshot's memory on the host. On the CPU all threads of the
  // rank copy. Throws Error.
  virtual void copy_out(std::span<const SnapshotRange> ranges, std::byte* memory) const = 0;
  // Where the host writes initial or loaded values: laid out as the arena from its begin on. On the
  // CPU it is the arena. For a device it is memory of the host, void before it is written;
  // put_state() makes its masters and moments the state, with model parameters of another dtype
  // rounded from the masters, and gives the memory back. Throw Error.
  [[nodiscard]] virtual std::byte* state(const plan::ModelState& layout) = 0;
  virtual void put_state(const plan::ModelState& layout, const graph::AxisSizes& axes,
                         const graph::Coordinates& coordinates) = 0;
};

// On the host: in memory of its own, or in `memory`, where that is not empty (see Arena). Throws
// Error (out_of_memory).
[[nodiscard]] std::unique_ptr<RankMemory> make_host_memory(std::uint64_t arena_nbytes,
                                                           std::span<std::byte> memory);
// On a CUDA device, which becomes that of the calling thread: in memory of its own, or in `memory`
// of that device, zeroed, where that is not empty. Throws Error.
[[nodiscard]] std::unique_ptr<RankMemory> make_device_memory(std::uint64_t arena_nbytes,
                                                             std::uint32_t device,
                                                             std::span<std::byte> memory);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_RANK_MEMORY_H_
