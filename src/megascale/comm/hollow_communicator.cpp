#include "megascale/comm/hollow_communicator.h"

#include <algorithm>
#include <cstring>

namespace megascale::comm {

void HollowCommunicator::start(const Transfer& transfer) noexcept {
  // By the same measure on every member, or some would send what others do not expect. A
  // reduce_scatter's and an all_gather's members agree on the larger of the two; the buffers of an
  // all_to_all_v are equally large on all members.
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
  // Where the own part lies in its place already, source and target are the same.
  for (std::size_t at = 0; at < transfer.receive.size(); at += own.size())
    std::memmove(transfer.receive.data() + at, own.data(), own.size());
}

// The rows that this member has for all others, from the first on, in place of those that it gets.
void HollowCommunicator::receive_own_blocks(const Transfer& transfer) noexcept {
  if (blocks_.read(transfer)) return;  // the real group says what is wrong
  for (std::uint32_t m = 0; m < size(); ++m) {
    const std::span<std::byte> room = blocks_.receive_block(m);
    const std::size_t own = std::min(room.size(), transfer.send.size());
    std::memmove(room.data(), transfer.send.data(), own);
  }
}

}  // namespace megascale::comm
