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

// NCCL in our words. A build without it has the same functions (no_nccl.cpp), which refuse.
namespace megascale::comm {

// What the members of a group must all have before they open it: one of them makes it and tells the
// others.
struct NcclId {
  std::array<std::byte, 128> bytes{};
};

// One rank's end of a communicator of NCCL. All calls return at once and only hand work over to the
// stream; what they are about to do, state() tells. Calls are made where state() is `ready`, by one
// thread at a time.
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
    in_progress,  // the group is being formed, or a call is not handed over yet
    ready,        // all calls were handed over
    failed,       // see error(): of a call, or found since on the device or the network
  };

  NcclChannel() = default;
  NcclChannel(const NcclChannel&) = delete;
  NcclChannel& operator=(const NcclChannel&) = delete;
  virtual ~NcclChannel() = default;

  // `send` of all members, in their order; this one's may lie in its place in `receive`.
  virtual void all_gather(std::span<std::byte> receive, std::span<const std::byte> send) = 0;
  // Sums add in an order that NCCL chooses by the size and the group: the same from run to run on
  // the same machine, not that of members.
  virtual void reduce_scatter(std::span<std::byte> receive, std::span<const std::byte> send,
                              DType dtype) = 0;
  virtual void all_reduce(std::span<std::byte> values, DType dtype) = 0;
  virtual void broadcast(std::span<std::byte> bytes, std::uint32_t root) = 0;
  // Before the first transfer, by all members: what they call with lies in `memory` from now on,
  // which comes from allocate_nccl_memory() and is as large on all of them; where a transfer of all
  // members is given an address, the others are given the same offset, or their part in place. Done
  // when state() is ready again; failed (unsupported) where the devices do not reach each other's
  // memory.
  virtual void register_window(std::span<std::byte> memory) = 0;
  // All of them at once; pairs of members match by their order.
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;
  // Brings the counts of an all_to_all_v of all members to the host of each: `send` and `receive`
  // are this member's, device memory as large on all. state() is in_progress until shared_counts()
  // has them; the device goes on meanwhile.
  virtual void share_counts(std::span<const std::byte> send,
                            std::span<const std::byte> receive) = 0;
  // By member: its send counts, then its receive counts. Valid until the next call of any kind.
  [[nodiscard]] virtual std::span<const std::byte> shared_counts() const noexcept = 0;
  // The stream goes on once the streams of all members have come as far.
  virtual void meet() = 0;

  [[nodiscard]] virtual State state() noexcept = 0;
  // Why `failed`.
  [[nodiscard]] virtual Error error() const = 0;
  // Ends what is under way, on the device too; nothing can be called any more. Once; while no other
  // call is made.
  virtual void abort() noexcept = 0;
};

// Zeroed memory of a device, which groups can take as a window. Given back with this object, after
// the channels that have it.
class NcclMemory {
 public:
  NcclMemory() = default;
  NcclMemory(const NcclMemory&) = delete;
  NcclMemory& operator=(const NcclMemory&) = delete;
  virtual ~NcclMemory() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() const noexcept = 0;
};

// Throws Error: unsupported in a build without NCCL, failed.
[[nodiscard]] NcclId make_nccl_id();
// Of the calling thread's device, which no other member may use: NCCL refuses that. The group is
// formed while state() is in_progress. Throws Error.
[[nodiscard]] std::unique_ptr<NcclChannel> open_nccl_channel(const NcclId& id, std::uint32_t size,
                                                             std::uint32_t my_index,
                                                             CUstream_st* stream);

// On the calling thread's device. Throws Error: unsupported where NCCL's transfers through windows
// would not end when they are aborted (before 2.29.7), out_of_memory.
[[nodiscard]] std::unique_ptr<NcclMemory> allocate_nccl_memory(std::uint64_t nbytes);

// The three, for whom tests give a stand-in.
struct NcclLibrary {
  std::function<NcclId()> make_id = make_nccl_id;
  std::function<std::unique_ptr<NcclChannel>(const NcclId&, std::uint32_t size,
                                             std::uint32_t my_index, CUstream_st*)>
      open = open_nccl_channel;
  std::function<std::unique_ptr<NcclMemory>(std::uint64_t nbytes)> allocate = allocate_nccl_memory;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_NCCL_NCCL_CHANNEL_H_
