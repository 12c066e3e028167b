#include "megascale/comm/nccl/nccl_communicator.h"

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace megascale::comm {
namespace {

// An abort that hangs in NCCL must not keep the error of the run back.
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
  const bool has_counts = next_ && next_->kind == TransferKind::all_to_all_v;
  if (state == NcclChannel::State::ready && has_counts && !shares_counts_) {
    channel_->share_counts(next_->counts.send, next_->counts.receive);
    shares_counts_ = true;
    state = look();
  }
  if (state == NcclChannel::State::ready && has_counts) state = check_counts();
  // The group may still be forming.
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
    channel_->abort();  // no thread is to be had
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

void NcclCommunicator::hand_over(const Transfer& transfer) {
  using Outgoing = NcclChannel::Outgoing;
  using Incoming = NcclChannel::Incoming;
  const auto exchange = [this](const Outgoing& send, const Incoming& receive) {
    channel_->exchange(std::span(&send, 1), std::span(&receive, 1));
  };
  switch (transfer.kind) {
    case TransferKind::all_gather:
      return channel_->all_gather(transfer.receive, transfer.send);
    case TransferKind::reduce_scatter:
      return channel_->reduce_scatter(transfer.receive, transfer.send, transfer.dtype);
    case TransferKind::all_reduce:
      return channel_->all_reduce(transfer.receive, transfer.dtype);
    case TransferKind::all_to_all:
      return all_to_all(transfer);
    case TransferKind::all_to_all_v:
      return all_to_all_v();
    case TransferKind::broadcast:
      return channel_->broadcast(transfer.receive, transfer.root);
    case TransferKind::shift:
      return exchange({(my_index_ + size_ - transfer.offset) % size_, transfer.send},
                      {(my_index_ + transfer.offset) % size_, transfer.receive});
    case TransferKind::send: {
      const Outgoing part{1 - my_index_, transfer.send};
      return channel_->exchange(std::span(&part, 1), {});
    }
    case TransferKind::recv: {
      const Incoming part{1 - my_index_, transfer.receive};
      return channel_->exchange({}, std::span(&part, 1));
    }
    case TransferKind::barrier:
      return channel_->meet();
  }
}

void NcclCommunicator::all_to_all(const Transfer& transfer) {
  const std::size_t nbytes = transfer.send.size() / size_;
  std::vector<NcclChannel::Outgoing> sends;
  std::vector<NcclChannel::Incoming> receives;
  for (std::uint32_t m = 0; m < size_; ++m) {
    sends.push_back({m, transfer.send.subspan(m * nbytes, nbytes)});
    receives.push_back({m, transfer.receive.subspan(m * nbytes, nbytes)});
  }
  channel_->exchange(sends, receives);
}

// Where a block is empty both sides know it, and neither calls.
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
