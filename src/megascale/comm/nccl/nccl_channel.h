#ifndef MEGASCALE_COMM_NCCL_NCCL_CHANNEL_H_
#define MEGASCALE_COMM_NCCL_NCCL_CHANNEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "megascale/base/dtype.h"
#include "megascale/base/error.h"

struct CUstream_st;

// The interface to NCCL. In builds without NCCL the functions of this file throw Error
// (unsupported) (no_nccl.cpp). Tests implement the classes with stand-ins (NcclLibrary).
namespace megascale::comm {

// Identifies a group while it is opened. One member makes it and sends it to the others
// (ncclUniqueId).
struct NcclId {
  std::array<std::byte, 128> bytes{};
};

// One rank's end of an NCCL communicator. Calls return at once: they enqueue work on the stream
// that the channel was opened with. state() tells whether NCCL has enqueued it. A call may be made
// only while state() is `ready`, by one thread at a time. Buffers are device memory; the stream
// orders all accesses to them.
class NcclChannel {
 public:
  struct Outgoing {
    std::uint32_t peer = 0;
    std::span<const std::byte> bytes;
  };
  struct Incoming {
    std::uint32_t peer = 0;
    std::span<std::byte> bytes;
  };
  enum class State : std::uint8_t {
    in_progress,  // the group is being formed, or a call is not enqueued yet
    ready,        // all calls are enqueued
    failed,       // see error(): a call has failed, or the device or the network has since
  };

  NcclChannel() = default;
  NcclChannel(const NcclChannel&) = delete;
  NcclChannel& operator=(const NcclChannel&) = delete;
  virtual ~NcclChannel() = default;

  // Gathers `send` of all members in `receive`, in member order. `send` has the same size on all
  // members and may be this member's own block of `receive`.
  virtual void all_gather(std::span<std::byte> receive, std::span<const std::byte> send) = 0;
  // Divides `send` into one block for each member and writes the sum of all members' blocks for
  // this member to `receive`, which has the size of a block. Sums add float32, bfloat16, float64 or
  // int64. NCCL chooses the order in which it adds, by size and group. The order is the same from
  // run to run on the same machine, but it is not the order of the members.
  virtual void reduce_scatter(std::span<std::byte> receive, std::span<const std::byte> send,
                              DType dtype) = 0;
  // Both work in place. all_reduce adds as reduce_scatter does.
  virtual void all_reduce(std::span<std::byte> values, DType dtype) = 0;
  virtual void broadcast(std::span<std::byte> bytes, std::uint32_t root) = 0;
  // Registers `memory` as a window, that is as memory which the members' devices access directly.
  // All members must call it, before the first transfer.
  // - `memory` comes from allocate_nccl_memory() and has the same size on all members.
  // - The buffers of all later calls must lie in it. In collectives they lie at the same offset on
  //   all members. A buffer that is this member's block of another buffer lies at its place in it.
  // It is done when state() is `ready` again. It fails (unsupported) if the devices cannot access
  // each other's memory.
  virtual void register_window(std::span<std::byte> memory) = 0;
  // Runs all these sends and receives at once. Sends and receives between two members match by
  // their order.
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;
  // Copies the counts of all members of an all_to_all_v to the host of each member. `send` and
  // `receive` are this member's counts: device memory, of equal size on all members. state() is
  // `in_progress` until shared_counts() can return them. Meanwhile the device executes other work.
  virtual void share_counts(std::span<const std::byte> send,
                            std::span<const std::byte> receive) = 0;
  // Returns, for each member in order, its send counts and then its receive counts. Valid until the
  // next call of any kind.
  [[nodiscard]] virtual std::span<const std::byte> shared_counts() const noexcept = 0;
  // A barrier: the stream goes on when the streams of all members have reached their barrier.
  virtual void meet() = 0;

  [[nodiscard]] virtual State state() noexcept = 0;
  // Returns the reason for `failed`.
  [[nodiscard]] virtual Error error() const = 0;
  // Ends all transfers of this channel, on the device too. After it nothing but state(), error()
  // and the destructor may be called. Call it once, and while no other call is running.
  virtual void abort() noexcept = 0;
};

// Zeroed device memory that groups can register as a window. The destructor frees it. Destroy the
// channels that have registered it first.
class NcclMemory {
 public:
  NcclMemory() = default;
  NcclMemory(const NcclMemory&) = delete;
  NcclMemory& operator=(const NcclMemory&) = delete;
  virtual ~NcclMemory() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() const noexcept = 0;
};

// Makes a new id. Throws Error: unsupported in builds or on machines without NCCL, failed if NCCL
// fails.
[[nodiscard]] NcclId make_nccl_id();
// Opens the end of member `my_index` of the group with this id and `size` members, for the calling
// thread's device and a stream of it. No other member may use the same device: NCCL refuses that.
// The call does not wait for the other members: the group is formed while state() is `in_progress`.
// Throws Error: unsupported in builds or on machines without NCCL, out_of_memory, failed if NCCL
// fails.
[[nodiscard]] std::unique_ptr<NcclChannel> open_nccl_channel(const NcclId& id, std::uint32_t size,
                                                             std::uint32_t my_index,
                                                             CUstream_st* stream);

// Allocates memory on the calling thread's device. Throws Error: out_of_memory; failed if NCCL
// fails; unsupported without NCCL, or if NCCL is older than 2.29.7: transfers of such versions
// through windows do not end when they are aborted.
[[nodiscard]] std::unique_ptr<NcclMemory> allocate_nccl_memory(std::uint64_t nbytes);

// make_nccl_id() and open_nccl_channel(), which tests replace.
struct NcclLibrary {
  std::function<NcclId()> make_id = make_nccl_id;
  std::function<std::unique_ptr<NcclChannel>(const NcclId&, std::uint32_t size,
                                             std::uint32_t my_index, CUstream_st*)>
      open = open_nccl_channel;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_NCCL_NCCL_CHANNEL_H_
