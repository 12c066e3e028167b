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

// Transfers between ranks that are processes, each on its own device. Bytes move in the order of
// the channel's stream.
//
// Done: a transfer is done, in the sense of a DeviceLaneRunner, when it is enqueued on the stream.
// Members do not meet on the host. A peer that never comes is found by the thread that waits for
// the device (DeviceLaneRunner, control.timeout_seconds) and by lost().
//
// Differences from the other back ends: sums add in NCCL's order, so the last bits may differ from
// those of ranks that are threads. abort() affects this end only; peers notice through lost(), if
// the network reports it, or through their time-out.
//
// An all_to_all_v is two calls of NCCL. First the counts of all members are gathered and copied to
// the host, where every member checks all of them and finds the same error. Then the blocks are
// exchanged. Until the counts are there, poll() returns `waiting` and does not block, so its thread
// goes on with other lanes (docs/decisions/0017-counts-on-devices.md).
//
// Failure: NCCL's abort runs on a thread of its own, because it may block: it frees memory, and
// CUDA may then wait until the device is idle. If a transfer of another group is still running on
// the device, only the abort of that group ends it. So `failed` does not mean that the device has
// finished: abort all groups, then wait for the device.
class NcclCommunicator final : public Communicator {
 public:
  // `wakeup`: the wakeup of the thread that polls. While NCCL is in progress, poll() notifies it,
  // so that the thread polls again: NCCL gives no sign when it has finished.
  // `window`: memory to register as a window (NcclChannel::register_window), the same on all
  // members, or empty. It is registered with the first transfer. All transfers must lie in it.
  // `ranks`: the ranks of the members, for errors; if empty, errors name members by their number.
  NcclCommunicator(std::unique_ptr<NcclChannel> channel, std::uint32_t size, std::uint32_t my_index,
                   Wakeup& wakeup, std::span<std::byte> window = {},
                   std::vector<std::uint32_t> ranks = {});
  // Waits until a running abort has ended, some seconds at most.
  ~NcclCommunicator() override;

  [[nodiscard]] std::uint32_t size() const noexcept override { return size_; }
  [[nodiscard]] std::uint32_t my_index() const noexcept override { return my_index_; }
  void start(const Transfer& transfer) noexcept override;
  Progress poll() noexcept override;
  void abort(const Error& error) noexcept override;
  [[nodiscard]] Error error() const override;
  // Returns no members: NCCL does not tell which member the device waits for.
  [[nodiscard]] Awaited awaited() const override { return {}; }
  [[nodiscard]] std::optional<Error> lost() noexcept override;

 private:
  // Gives a transfer to the channel.
  void hand_over(const Transfer& transfer);
  void exchange_parts(const Transfer& transfer);
  void all_to_all_v();
  // Returns the state of the channel. If it has failed, this communicator fails too. Call with the
  // lock held.
  NcclChannel::State look() noexcept;
  // Checks the counts that all members have given for next_. If they do not agree, this
  // communicator fails. Call with the lock held.
  NcclChannel::State check_counts() noexcept;
  void fail(const Error& error) noexcept;

  mutable std::mutex mutex_;              // abort() may come from any thread
  std::shared_ptr<NcclChannel> channel_;  // shared with the thread that aborts it
  std::uint32_t size_, my_index_;
  Wakeup* wakeup_;
  std::span<std::byte> window_;   // still to be registered; empty: none, or done
  std::optional<Transfer> next_;  // started, but not yet given to the channel
  bool shares_counts_ = false;    // the channel is gathering the counts of next_
  BlockTable blocks_;
  std::optional<Error> error_;
  std::future<void> aborted_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_NCCL_NCCL_COMMUNICATOR_H_
