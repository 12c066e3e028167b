// Maps transfers to calls of an NcclChannel. start() only stores the transfer; poll() enqueues it
// as soon as the channel is ready, after the window is registered and, for an all_to_all_v, the
// counts are checked.
#include "megascale/comm/nccl/nccl_communicator.h"

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "megascale/comm/transfer_parts.h"

namespace megascale::comm {
namespace {

// The longest wait for an abort. If it hangs in NCCL, the error of the run must still be reported.
constexpr std::chrono::seconds kLongestAbort{10};

}  // namespace

NcclCommunicator::NcclCommunicator(std::unique_ptr<NcclChannel> channel, std::uint32_t size,
                                   std::uint32_t my_index, Wakeup& wakeup,
                                   std::span<std::byte> window, std::vector<std::uint32_t> ranks)
    : channel_(std::move(channel)),
      size_(size),
      my_index_(my_index),
      wakeup_(&wakeup),
      window_(window),
      blocks_(ranks_or_numbers(std::move(ranks), size), my_index) {}

NcclCommunicator::~NcclCommunicator() {
  if (aborted_.valid()) (void)aborted_.wait_for(kLongestAbort);
}

void NcclCommunicator::start(const Transfer& transfer) noexcept {
  const std::lock_guard lock(mutex_);
  next_ = transfer;
}

Progress NcclCommunicator::poll() noexcept {
  const std::lock_guard lock(mutex_);
  NcclChannel::State state = look();
  if (state == NcclChannel::State::ready && next_ && !window_.empty()) {
    channel_->register_window(std::exchange(window_, {}));
    state = look();
  }
  const bool has_counts = next_ && next_->rule->counted;
  if (state == NcclChannel::State::ready && has_counts && !shares_counts_) {
    channel_->share_counts(next_->counts.send, next_->counts.receive);
    shares_counts_ = true;
    state = look();
  }
  if (state == NcclChannel::State::ready && has_counts) state = check_counts();
  // If the group is still being formed, the state is in_progress and the transfer stays in next_.
  if (state == NcclChannel::State::ready && next_) {
    hand_over(*std::exchange(next_, std::nullopt));
    state = look();
  }
  switch (state) {
    case NcclChannel::State::failed:
      return Progress::failed;
    case NcclChannel::State::ready:
      return Progress::done;
    case NcclChannel::State::in_progress:
      break;
  }
  wakeup_->notify();
  return next_ ? Progress::waiting : Progress::moving;
}

NcclChannel::State NcclCommunicator::check_counts() noexcept {
  shares_counts_ = false;
  if (const auto error = blocks_.read_all(*next_, channel_->shared_counts())) {
    fail(*error);
    return NcclChannel::State::failed;
  }
  return NcclChannel::State::ready;
}

NcclChannel::State NcclCommunicator::look() noexcept {
  if (error_) return NcclChannel::State::failed;
  const NcclChannel::State state = channel_->state();
  if (state == NcclChannel::State::failed) fail(channel_->error());
  return state;
}

void NcclCommunicator::fail(const Error& error) noexcept {
  if (error_) return;
  error_ = error;
  std::packaged_task<void()> abort([channel = channel_]() mutable {
    channel->abort();
    channel.reset();
  });
  aborted_ = abort.get_future();
  try {
    std::thread(std::move(abort)).detach();
  } catch (const std::system_error&) {
    channel_->abort();  // the system could not start a thread
    aborted_ = {};
  }
}

void NcclCommunicator::abort(const Error& error) noexcept {
  {
    const std::lock_guard lock(mutex_);
    fail(error);
  }
  wakeup_->notify();
}

Error NcclCommunicator::error() const {
  const std::lock_guard lock(mutex_);
  return error_.value_or(Error(ErrorCode::failed, "no error"));
}

std::optional<Error> NcclCommunicator::lost() noexcept {
  const std::lock_guard lock(mutex_);
  (void)look();
  return error_;
}

// Uses NCCL's collective if the rule is one of NCCL's. All other kinds are sends and receives of
// the parts that the rule defines.
void NcclCommunicator::hand_over(const Transfer& transfer) {
  const TransferRule& rule = *transfer.rule;
  if (rule.moves_nothing()) return channel_->meet();
  if (rule.counted) return all_to_all_v();
  if (rule.sums_everything()) return channel_->all_reduce(transfer.receive, transfer.dtype);
  if (rule.sum) return channel_->reduce_scatter(transfer.receive, transfer.send, transfer.dtype);
  if (rule.code() == transfer_rules::all_gather.code())
    return channel_->all_gather(transfer.receive, transfer.send);
  if (rule.code() == transfer_rules::broadcast.code())
    return channel_->broadcast(transfer.receive, transfer.root);
  exchange_parts(transfer);
}

void NcclCommunicator::exchange_parts(const Transfer& transfer) {
  const TransferParts parts(transfer, my_index_, size_, blocks_);
  std::vector<NcclChannel::Outgoing> sends;
  std::vector<NcclChannel::Incoming> receives;
  for (std::uint32_t m = 0; m < size_; ++m) {
    const std::span<std::byte> room = parts.part_from(m).room;
    // The part that a member gives to itself moves in the same call; it is in both lists. Empty
    // parts are in none: NCCL would wait for the partner of an empty send.
    const bool to_myself = m == my_index_ && !room.empty();
    const std::span<const std::byte> part =
        parts.is_read_by(m) || to_myself ? parts.part_for(m) : std::span<const std::byte>();
    if (!part.empty()) sends.push_back({m, part});
    if (!room.empty()) receives.push_back({m, room});
  }
  channel_->exchange(sends, receives);
}

// Empty blocks are left out. Both members of a pair know that a block is empty.
void NcclCommunicator::all_to_all_v() {
  std::vector<NcclChannel::Outgoing> sends;
  std::vector<NcclChannel::Incoming> receives;
  for (std::uint32_t m = 0; m < size_; ++m) {
    if (const auto block = blocks_.send_block(m); !block.empty()) sends.push_back({m, block});
    if (const auto block = blocks_.receive_block(m); !block.empty()) receives.push_back({m, block});
  }
  channel_->exchange(sends, receives);
}

}  // namespace megascale::comm
