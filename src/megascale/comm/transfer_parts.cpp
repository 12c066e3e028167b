// Computes byte ranges from the fields of a TransferRule, without a case per kind of transfer. An
// all_reduce is done in two passes: every member sums its own block over all members, then copies
// the summed blocks of the others.
#include "megascale/comm/transfer_parts.h"

namespace megascale::comm {

using Source = TransferRule::Source;
using Share = TransferRule::Share;

std::uint32_t TransferParts::argument() const noexcept {
  if (rule().has_root()) return transfer_.root;
  if (rule().has_offset()) return transfer_.offset;
  if (rule().counted) return static_cast<std::uint32_t>(transfer_.counts.row_nbytes);
  return 0;
}

std::span<const std::byte> TransferParts::exposed() const noexcept {
  if (!rule().gives || (rule().has_root() && my_index_ != transfer_.root)) return {};
  return rule().memory == TransferRule::Memory::same ? transfer_.receive : transfer_.send;
}

std::span<const std::byte> TransferParts::exposed_to(std::uint32_t member) const noexcept {
  return rule().counted ? blocks_->send_block(member) : exposed();
}

std::uint64_t TransferParts::part_nbytes() const noexcept {
  if (rule().moves_nothing()) return 0;
  if (rule().counted) return transfer_.counts.bound * transfer_.counts.row_nbytes;
  // If a member gives its whole send buffer, that buffer is the part. Peers then notice a size that
  // differs from the one they expect. For other kinds the size follows from the receive buffer.
  const bool gives_all = rule().gives && rule().given == Share::whole && !rule().has_root() &&
                         rule().memory != TransferRule::Memory::same;
  if (gives_all) return transfer_.send.size();
  return rule().placed == Share::block ? transfer_.receive.size() / size_
                                       : transfer_.receive.size();
}

std::span<const std::byte> TransferParts::part_for(std::uint32_t member) const noexcept {
  if (rule().counted) return blocks_->send_block(member);
  const std::uint64_t n = part_nbytes();
  return rule().given == Share::block && !exposed().empty() ? exposed().subspan(member * n, n)
                                                            : exposed();
}

std::span<const std::byte> TransferParts::first_read_by(std::uint32_t member) const noexcept {
  return rule().sums_everything() ? block_of_sum(member).room : part_for(member);
}

TransferParts::Part TransferParts::part_from(std::uint32_t member) const noexcept {
  if (!rule().takes || !is_source(member)) return {};
  if (rule().sums_everything()) return member == my_index_ ? Part{} : block_of_sum(member);
  if (rule().sum) return {};
  if (rule().counted) return {0, blocks_->receive_block(member)};
  const std::uint64_t n = part_nbytes();
  const std::uint64_t offset = rule().given == Share::block ? my_index_ * n : 0;
  return {offset, rule().placed == Share::block ? transfer_.receive.subspan(member * n, n)
                                                : transfer_.receive};
}

TransferParts::Part TransferParts::sum_part() const noexcept {
  if (rule().sums_everything()) return block_of_sum(my_index_);
  return {my_index_ * part_nbytes(), transfer_.receive};
}

// Returns the block of an all_reduce that `member` sums. Blocks begin at whole elements.
TransferParts::Part TransferParts::block_of_sum(std::uint32_t member) const noexcept {
  const std::uint64_t item = itemsize(transfer_.dtype), count = transfer_.receive.size() / item;
  const std::uint64_t begin = count * member / size_ * item,
                      end = count * (member + 1) / size_ * item;
  return {begin, transfer_.receive.subspan(begin, end - begin)};
}

bool TransferParts::is_source(std::uint32_t member) const noexcept {
  switch (rule().source) {
    case Source::all:
      return true;
    case Source::ahead:
      return member == (my_index_ + transfer_.offset) % size_;
    case Source::root:
      // If the buffers are the same, the root already has its bytes.
      return member == transfer_.root &&
             (member != my_index_ || rule().memory == TransferRule::Memory::apart);
    case Source::partner:
      return member != my_index_;
  }
  return false;
}

bool TransferParts::reads_from(std::uint32_t member) const noexcept {
  return member != my_index_ && rule().takes && is_source(member);
}

bool TransferParts::is_read_by(std::uint32_t member) const noexcept {
  if (member == my_index_ || !rule().gives) return false;
  switch (rule().source) {
    case Source::ahead:
      return my_index_ == (member + transfer_.offset) % size_;
    case Source::root:
      return my_index_ == transfer_.root;
    case Source::all:
    case Source::partner:
      break;
  }
  return true;
}

}  // namespace megascale::comm
