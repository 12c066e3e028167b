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

namespace megascale::comm {

// How a member of a local group touches memory, its own and its peers'. A transfer goes through
// steps (local_group.h); a mover that only hands its work over says where in that work a step is,
// so that the others' work can come after it. Used by one thread; follow() reads what another
// member's arrive() left, which that member has announced since.
class LocalMover {
 public:
  LocalMover() = default;
  LocalMover(const LocalMover&) = delete;
  LocalMover& operator=(const LocalMover&) = delete;
  virtual ~LocalMover() = default;
  virtual void copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept = 0;
  // In the order of the sources; see comm/sum.h.
  virtual void sum(std::span<std::byte> out, std::span<const std::byte* const> sources,
                   DType dtype) noexcept = 0;
  // Begins to bring the counts of a transfer to the host, behind the work given so far.
  virtual void read_counts(const BlockCounts& counts) noexcept = 0;
  // What read_counts() was given, with `send` and `receive` in memory of the host, or why they
  // cannot be had. Absent: not there yet, and nobody says when.
  [[nodiscard]] virtual std::optional<Result<BlockCounts>> counts() noexcept = 0;
  // This member has given all its work that comes before the step.
  virtual void arrive(std::size_t step) noexcept = 0;
  // What this member gives from now on comes after the other's work before the step. Both are of
  // one kind.
  virtual void follow(const LocalMover& other, std::size_t step) noexcept = 0;
};

// Works at once: there is nothing to wait for.
class HostMover final : public LocalMover {
 public:
  void copy(std::span<std::byte> to, std::span<const std::byte> from) noexcept override;
  void sum(std::span<std::byte> out, std::span<const std::byte* const> sources,
           DType dtype) noexcept override;
  void read_counts(const BlockCounts& counts) noexcept override { counts_ = counts; }
  [[nodiscard]] std::optional<Result<BlockCounts>> counts() noexcept override { return counts_; }
  void arrive(std::size_t) noexcept override {}
  void follow(const LocalMover&, std::size_t) noexcept override {}

 private:
  BlockCounts counts_;
};

// Adds its work to a stream of a CUDA device; ranks are threads of this process, on one device or
// on several that reach each other's memory (cuda::reach_devices). Transfers are then done when
// they are handed over, in the sense of a DeviceLaneRunner: bytes move in the order of the streams,
// and what a member's stream is given behind a transfer comes after all that the others' streams do
// to its memory. A transfer that failed gives no such order. Throws Error.
[[nodiscard]] std::unique_ptr<LocalMover> make_device_mover(CUstream_st* stream);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_MOVER_H_
