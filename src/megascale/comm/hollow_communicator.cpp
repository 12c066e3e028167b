// Replaces a large transfer by two things: a local copy of the member's own bytes, and a transfer
// of the same kind with empty buffers over the real communicator, which keeps the wait for all
// members.
#include "megascale/comm/hollow_communicator.h"

#include <algorithm>
#include <cstring>

namespace megascale::comm {

void HollowCommunicator::start(const Transfer& transfer) noexcept {
  // All members must decide alike, or some would send bytes that others do not expect. The larger
  // of the two buffers is equal on all members: for a reduce_scatter it is `send`, for an
  // all_gather `receive`, and the buffers of an all_to_all_v have equal sizes on all members.
  if (std::max(transfer.send.size(), transfer.receive.size()) <= kSmallNbytes)
    return real_->start(transfer);
  receive_own(transfer);
  Transfer empty = transfer;
  empty.send = {};
  empty.receive = {};
  empty.counts.row_nbytes = 0;  // the sizes are still compared, in rows
  real_->start(empty);
}

void HollowCommunicator::receive_own(const Transfer& transfer) noexcept {
  const TransferRule& rule = *transfer.rule;
  if (!rule.gives || !rule.takes || rule.memory == TransferRule::Memory::same) return;
  if (rule.counted) return receive_own_blocks(transfer);
  std::span<const std::byte> own = transfer.send;
  if (rule.given == TransferRule::Share::block)
    own = own.subspan(my_index() * (own.size() / size()), own.size() / size());
  if (own.empty()) return;
  // memmove: the own part may already lie at its place in `receive`.
  for (std::size_t at = 0; at < transfer.receive.size(); at += own.size())
    std::memmove(transfer.receive.data() + at, own.data(), own.size());
}

// Fills each receive block with the first rows of this member's send buffer.
void HollowCommunicator::receive_own_blocks(const Transfer& transfer) noexcept {
  if (blocks_.read(transfer)) return;  // the real communicator will report the error
  for (std::uint32_t m = 0; m < size(); ++m) {
    const std::span<std::byte> room = blocks_.receive_block(m);
    const std::size_t own = std::min(room.size(), transfer.send.size());
    std::memmove(room.data(), transfer.send.data(), own);
  }
}

}  // namespace megascale::comm
