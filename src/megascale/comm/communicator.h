#ifndef MEGASCALE_COMM_COMMUNICATOR_H_
#define MEGASCALE_COMM_COMMUNICATOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/base/error.h"
#include "megascale/base/transfer_rule.h"

namespace megascale::cuda {
class Event;
}

// A communicator is one rank's end of a group of ranks that transfer data. The lane runners
// (runtime/) call it; a back end implements it: ranks as threads (local/), as processes over UCX
// (ucx/), as processes on CUDA devices over NCCL (nccl/).
namespace megascale::comm {

// The place of the blocks of an all_to_all_v in the send buffer and in the receive buffer.
enum class BlockLayout : std::uint8_t {
  packed,  // one after the other without gaps: the rows of all members are contiguous
  fixed,   // block i begins at row i * bound; bytes after its rows are neither read nor written
};

// The block sizes of an all_to_all_v, in rows. They lie in memory that an earlier task wrote. The
// communicator reads them after the transfer has started; they must not change until it is over. On
// devices they lie in device memory, and the communicator copies them to the host
// (docs/decisions/0017-counts-on-devices.md).
//
// The number of rows that a member sends to another must equal the number that the other expects.
// Bound, row size, dtype, layout and the sizes of both buffers must be equal on all members.
//
// Errors: If a count is negative or above the bound, or if the rows do not fit in a buffer, the
// transfer fails on every member. If the counts of two members differ, it fails on these two.
// Another member may then already have all its bytes; its next transfer fails. The error names the
// ranks and both sizes. Nothing outside the blocks is written.
struct BlockCounts {
  std::span<const std::byte> send;     // [size] of dtype: rows for each member
  std::span<const std::byte> receive;  // [size] of dtype: rows from each member
  DType dtype = DType::int64;          // of the counts: int64 or int32
  std::uint64_t row_nbytes = 0;        // size of one row in bytes
  std::uint64_t bound = 0;             // the largest number of rows that a block may have
  BlockLayout layout = BlockLayout::packed;
};

// One member's part of one transfer: the kind of the transfer, its buffers and its arguments. Until
// poll() returns `done` or `failed`, nobody else may touch the buffers.
struct Transfer {
  const TransferRule* rule = &transfer_rules::barrier;  // the kind; must outlive the transfer
  // The buffer that this member gives from. Unused if the rule's memory is `same`: then `receive`
  // holds the bytes to give as well.
  std::span<const std::byte> send;
  std::span<std::byte> receive;  // the buffer that this member takes into
  DType dtype = DType::float32;  // of sums: float32, float64, int64; on devices bfloat16 too
  std::uint32_t root = 0;        // of a broadcast
  std::uint32_t offset = 0;      // of a shift, below size
  BlockCounts counts{};          // of an all_to_all_v
  // Devices, if the communicator marks_match(): an event to record, or null. It must outlive the
  // transfer.
  cuda::Event* matched = nullptr;
};

enum class Progress : std::uint8_t {
  waiting,  // some members have not started it
  moving,   // every member has started it
  done,     // it is over, and no member will touch this member's memory any more; on devices: it is
            // handed over to the device, see lost()
  failed,   // see error(); here too no member will touch this member's memory any more
};

// The members that a transfer waits for.
struct Awaited {
  // By their number in the group; empty: none. This member is among them if it has not started the
  // transfer itself.
  std::vector<std::uint32_t> members;
  // false: these members have not started the transfer. true: all members have started it, and
  // these have not finished their part.
  bool started = false;
};

// One rank's end of a group of ranks (members).
//
// Matching: the n-th transfer that one member starts matches the n-th of every other member. No
// transfer is done before every member has started it (rendezvous).
// Threads: one thread, the rank's progress thread, calls start() and poll(); neither blocks. At
// most one transfer is under way at an end; start() the next after poll() returned `done`.
// Bits: sums add in member order, so the result does not depend on timing. The NCCL back end is the
// exception (nccl/nccl_communicator.h).
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;
  [[nodiscard]] virtual std::uint32_t size() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t my_index() const noexcept = 0;
  // Starts a transfer. The result is reported by poll(), errors included.
  virtual void start(const Transfer& transfer) noexcept = 0;
  // Carries the transfer on as far as possible without waiting, and returns its state.
  virtual Progress poll() noexcept = 0;
  // Makes all transfers of the group fail from now on, on every member, with this error. If it is
  // called several times, the first error counts. Any thread may call it.
  virtual void abort(const Error& error) noexcept = 0;
  // Returns the reason for `failed`.
  [[nodiscard]] virtual Error error() const = 0;
  // Returns the members that this end's transfer waits for: the one under way, or else its next
  // one. After a failure, those that the transfer waited for when the group failed. Any thread may
  // call it.
  [[nodiscard]] virtual Awaited awaited() const = 0;
  // For back ends on devices: returns true if every transfer records its event `matched` on this
  // member's stream, at the point where the streams of all members have reached the transfer. All
  // other back ends ignore the event.
  [[nodiscard]] virtual bool marks_match() const noexcept { return false; }
  // For back ends on devices, where a transfer counts as done once it is handed over to the device:
  // returns the error of a transfer that failed after that. Transfers fail from then on. All other
  // back ends return nothing.
  [[nodiscard]] virtual std::optional<Error> lost() noexcept { return std::nullopt; }
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_COMMUNICATOR_H_
