#ifndef MEGASCALE_COMM_LOCAL_LOCAL_MOVER_H_
#define MEGASCALE_COMM_LOCAL_LOCAL_MOVER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "megascale/base/dtype.h"
#include "megascale/base/error.h"
#include "megascale/comm/communicator.h"

struct CUstream_st;

namespace megascale::cuda {
class Event;
}

namespace megascale::comm {

// How a member of a local group accesses memory, its own and its peers': at once on the host
// (HostMover), or as work on a CUDA stream (make_device_mover).
//
// Order: the steps of a transfer (local_group.h) order the members' calls. For work on streams this
// is not enough, since a call only enqueues. So arrive() marks a position in this member's work,
// and follow() makes this member's later work wait for such a position in another's.
// Threads: one thread per mover. follow() reads the marks of another member's mover; that member
// has announced its arrival at the step before.
class LocalMover {
 public:
  LocalMover() = default;
  LocalMover(const LocalMover&) = delete;
  LocalMover& operator=(const LocalMover&) = delete;
  virtual ~LocalMover() = default;
  virtual void copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept = 0;
  // Adds the sources in their order; see comm/sum.h.
  virtual void sum(std::span<std::byte> out, std::span<const std::byte* const> sources,
                   DType dtype) noexcept = 0;
  // Starts to copy the counts of a transfer to the host, after the work enqueued so far.
  virtual void read_counts(const BlockCounts& counts) noexcept = 0;
  // Returns the counts that were passed to read_counts(), with `send` and `receive` in host memory,
  // or an error if they could not be copied. Returns nothing while the copy is not done; the caller
  // must ask again, since nothing notifies it.
  [[nodiscard]] virtual std::optional<Result<BlockCounts>> counts() noexcept = 0;
  // Marks a step: all work of this member that must come before it has been enqueued.
  virtual void arrive(std::size_t step) noexcept = 0;
  // Orders all further work of this member after the work that `other` did before its mark for the
  // step. Both movers must be of the same kind.
  virtual void follow(const LocalMover& other, std::size_t step) noexcept = 0;
  // Returns true if record() records events; it then works on a stream.
  [[nodiscard]] virtual bool records_events() const noexcept = 0;
  // Records the event behind all work of this member that has been enqueued so far.
  virtual void record(cuda::Event& event) noexcept = 0;
};

// Works at once on host memory. Nothing needs to be ordered.
class HostMover final : public LocalMover {
 public:
  void copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept override;
  void sum(std::span<std::byte> out, std::span<const std::byte* const> sources,
           DType dtype) noexcept override;
  void read_counts(const BlockCounts& counts) noexcept override { counts_ = counts; }
  [[nodiscard]] std::optional<Result<BlockCounts>> counts() noexcept override { return counts_; }
  void arrive(std::size_t) noexcept override {}
  void follow(const LocalMover&, std::size_t) noexcept override {}
  [[nodiscard]] bool records_events() const noexcept override { return false; }
  void record(cuda::Event&) noexcept override {}

 private:
  BlockCounts counts_;
};

// Returns a mover that enqueues its work on a stream of a CUDA device. Ranks are threads of this
// process, on one device or on several that can access each other's memory (cuda::reach_devices).
//
// A transfer is then done, in the sense of a DeviceLaneRunner, when it is enqueued; the streams
// order the bytes. Work that a member enqueues on its stream after a transfer runs after everything
// that the other members' streams do to its memory in this transfer. A transfer that failed gives
// no such order. Throws Error: out_of_memory, the errors of cuda::Event, unsupported in builds
// without CUDA.
[[nodiscard]] std::unique_ptr<LocalMover> make_device_mover(CUstream_st* stream);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_MOVER_H_
