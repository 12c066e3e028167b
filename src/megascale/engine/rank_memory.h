#ifndef MEGASCALE_ENGINE_RANK_MEMORY_H_
#define MEGASCALE_ENGINE_RANK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "megascale/engine/state_snapshot.h"
#include "megascale/plan/model_state.h"

namespace megascale::engine {

// Tells RankMemory::put_state() whether the moments are those that the caller wrote, or zeros, as in
// a new state.
enum class Moments : std::uint8_t { given, zero };

// The memory of a rank's arena, on the host or on a device, and the host's access to it. Only the
// rank's own thread may use it, between steps.
class RankMemory {
 public:
  RankMemory() = default;
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;
  virtual ~RankMemory() = default;
  // Returns the arena. On a device these are device addresses, which the host cannot read.
  [[nodiscard]] virtual std::span<std::byte> arena() const noexcept = 0;
  // Copy bytes from or to the arena, from byte `offset` on. Throw Error.
  virtual void read(std::span<std::byte> to, std::uint64_t offset) const = 0;
  virtual void write(std::uint64_t offset, std::span<const std::byte> from) = 0;
  // Copies ranges of the arena to `memory` on the host, each to its SnapshotRange::begin. On the
  // CPU all threads of the rank copy. Throws Error.
  virtual void copy_out(std::span<const SnapshotRange> ranges, std::byte* memory) const = 0;
  // Set the state of the model in two calls. state() returns memory of the host with the layout of
  // the arena, from its first byte to the last master or moment, and behind them the frozen weights of
  // WideWeights. The caller writes masters, moments and these to it. put_state() then makes them the state,
  // rounds the parameters of buckets with masters and frozen weights, and frees the memory. Moments that are zero are not copied to a device. On the CPU,
  // state() returns the arena itself and put_state()
  // does nothing: parameters are float32 there. Throw Error.
  [[nodiscard]] virtual std::byte* state(const plan::ModelState& layout) = 0;
  virtual void put_state(const plan::ModelState& layout, const graph::AxisSizes& axes,
                         const graph::Coordinates& coordinates, Moments moments) = 0;
};

// Makes the memory of a rank on the CPU: in `memory` (see Arena), or, if that is empty, in
// `arena_nbytes` newly allocated bytes. Throws Error (out_of_memory).
[[nodiscard]] std::unique_ptr<RankMemory> make_host_memory(std::uint64_t arena_nbytes,
                                                           std::span<std::byte> memory);
// Makes the memory of a rank on a CUDA device and makes that device the current one of the calling
// thread. `memory`: zeroed memory of the device to borrow; empty: allocate `arena_nbytes` bytes.
// Throws Error.
[[nodiscard]] std::unique_ptr<RankMemory> make_device_memory(std::uint64_t arena_nbytes,
                                                             std::uint32_t device,
                                                             std::span<std::byte> memory);

}  // namespace megascale::engine

#endif  // MEGASCALE_ENGINE_RANK_MEMORY_H_
