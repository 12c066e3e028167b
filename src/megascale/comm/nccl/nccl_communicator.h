#ifndef MEGASCALE_COMM_NCCL_NCCL_COMMUNICATOR_H_
#define MEGASCALE_COMM_NCCL_NCCL_COMMUNICATOR_H_

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "megascale/base/wakeup.h"
#include "megascale/comm/block_table.h"
#include "megascale/comm/communicator.h"
#include "megascale/comm/nccl/nccl_channel.h"

namespace megascale::comm {

// Transfers between ranks that are processes, each on a device of its own: bytes move in the order
// of the channel's stream. A transfer is done, in the sense of a DeviceLaneRunner, when it was
// handed over; members do not meet on the host, so a peer that never comes is found by who waits
// for the device (DeviceLaneRunner, control.timeout_seconds) and by lost().
//
// Unlike the other back ends: sums add in NCCL's order, which changes last bits against ranks that
// are threads; and abort() is for this end alone: peers find out by lost(), where the network tells
// them, or by their time-out.
//
// An all_to_all_v is two calls of NCCL: the counts of all members are gathered and come to the
// host, where every member checks all of them and finds the same, then the blocks are exchanged.
// poll() says `waiting` until the counts are there and never blocks: the thread that hands tasks
// over goes on with other lanes (docs/decisions/0017).
//
// NCCL's own abort runs on a thread of its own: it gives memory back, for which CUDA may wait until
// the device is idle, and so for a transfer of another group that only that group's abort ends.
// `failed` therefore does not say that the device is through: who aborts the groups waits for it.
class NcclCommunicator final : public Communicator {
 public:
  // `wakeup`: of who polls; nobody says when NCCL has gone on, so it is to look again soon.
  // `window`: the memory in which all transfers lie, where NCCL shall know it
  // (NcclChannel::register_window), on all members alike; it is made known with the first transfer.
  // `ranks`: of the members, for errors; none: errors name members by their number.
  NcclCommunicator(std::unique_ptr<NcclChannel> channel, std::uint32_t size, std::uint32_t my_index,
                   Wakeup& wakeup, std::span<std::byte> window = {},
                   std::vector<std::uint32_t> ranks = {});
  // Waits for an abort, some seconds at most.
  ~NcclCommunicator() override;

  [[nodiscard]] std::uint32_t size() const noexcept override { return size_; }
  [[nodiscard]] std::uint32_t my_index() const noexcept override { return my_index_; }
  void start(const Transfer& transfer) noexcept override;
  Progress poll() noexcept override;
  void abort(const Error& error) noexcept override;
  [[nodiscard]] Error error() const override;
  // Nobody: the device knows, and does not say.
  [[nodiscard]] Awaited awaited() const override { return {}; }
  [[nodiscard]] std::optional<Error> lost() noexcept override;

 private:
  void hand_over(const Transfer& transfer);
  void exchange_parts(const Transfer& transfer);
  void all_to_all_v();
  // Under the lock. Takes over what the channel says of its state.
  NcclChannel::State look() noexcept;
  // Of next_: whether the members agree.
  NcclChannel::State check_counts() noexcept;
  void fail(const Error& error) noexcept;

  mutable std::mutex mutex_;              // abort() comes from any thread
  std::shared_ptr<NcclChannel> channel_;  // also of the abort, while it runs
  std::uint32_t size_, my_index_;
  Wakeup* wakeup_;
  std::span<std::byte> window_;   // to be registered; empty: none, or done
  std::optional<Transfer> next_;  // started, and not yet given to the channel
  bool shares_counts_ = false;    // of next_: the channel is bringing them
  BlockTable blocks_;
  std::optional<Error> error_;
  std::future<void> aborted_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_NCCL_NCCL_COMMUNICATOR_H_
