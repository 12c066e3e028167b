#include "megascale/comm/ucx/transfer_parts.h"

namespace megascale::comm {

std::string_view name_of(TransferKind kind) noexcept {
  switch (kind) {
    case TransferKind::all_gather:
      return "all_gather";
    case TransferKind::reduce_scatter:
      return "reduce_scatter";
    case TransferKind::all_reduce:
      return "all_reduce";
    case TransferKind::all_to_all:
      return "all_to_all";
    case TransferKind::all_to_all_v:
      return "all_to_all_v";
    case TransferKind::broadcast:
      return "broadcast";
    case TransferKind::shift:
      return "shift";
    case TransferKind::send:
      return "send";
    case TransferKind::recv:
      return "recv";
    case TransferKind::barrier:
      return "barrier";
  }
  return "unknown";
}

TransferKind TransferParts::partner_kind() const noexcept {
  if (transfer_.kind == TransferKind::send) return TransferKind::recv;
  if (transfer_.kind == TransferKind::recv) return TransferKind::send;
  return transfer_.kind;
}

std::uint32_t TransferParts::argument() const noexcept {
  if (transfer_.kind == TransferKind::broadcast) return transfer_.root;
  if (transfer_.kind == TransferKind::shift) return transfer_.offset;
  if (has_counts()) return static_cast<std::uint32_t>(transfer_.counts.row_nbytes);
  return 0;
}

bool TransferParts::is_sum() const noexcept {
  return transfer_.kind == TransferKind::reduce_scatter ||
         transfer_.kind == TransferKind::all_reduce;
}

std::span<const std::byte> TransferParts::exposed() const noexcept {
  switch (transfer_.kind) {
    case TransferKind::all_reduce:
      return transfer_.receive;
    case TransferKind::broadcast:
      return my_index_ == transfer_.root ? transfer_.receive : std::span<std::byte>{};
    case TransferKind::recv:
    case TransferKind::barrier:
      return {};
    default:
      return transfer_.send;
  }
}

std::span<const std::byte> TransferParts::exposed_to(std::uint32_t member) const noexcept {
  return has_counts() ? blocks_->send_block(member) : exposed();
}

std::uint64_t TransferParts::part_nbytes() const noexcept {
  switch (transfer_.kind) {
    case TransferKind::all_to_all_v:
      return transfer_.counts.bound * transfer_.counts.row_nbytes;
    case TransferKind::all_to_all:
      return transfer_.send.size() / size_;
    case TransferKind::all_gather:
    case TransferKind::shift:
    case TransferKind::send:
      return transfer_.send.size();
    case TransferKind::barrier:
      return 0;
    default:
      return transfer_.receive.size();
  }
}

std::span<const std::byte> TransferParts::part_for(std::uint32_t member) const noexcept {
  const std::uint64_t n = part_nbytes();
  switch (transfer_.kind) {
    case TransferKind::all_to_all:
    case TransferKind::reduce_scatter:
      return exposed().subspan(member * n, n);
    case TransferKind::all_to_all_v:
      return blocks_->send_block(member);
    default:
      return exposed();
  }
}

std::span<const std::byte> TransferParts::first_read_by(std::uint32_t member) const noexcept {
  return transfer_.kind == TransferKind::all_reduce ? block_of_sum(member).room : part_for(member);
}

TransferParts::Part TransferParts::part_from(std::uint32_t member) const noexcept {
  const std::uint64_t n = part_nbytes();
  switch (transfer_.kind) {
    case TransferKind::all_gather:
      return {0, transfer_.receive.subspan(member * n, n)};
    case TransferKind::all_to_all:
      return {my_index_ * n, transfer_.receive.subspan(member * n, n)};
    case TransferKind::all_to_all_v:
      return {0, blocks_->receive_block(member)};
    case TransferKind::all_reduce:
      return member == my_index_ ? Part{} : block_of_sum(member);
    case TransferKind::broadcast:
    case TransferKind::recv:
      return reads_from(member) ? Part{0, transfer_.receive} : Part{};
    case TransferKind::shift:
      return member == (my_index_ + transfer_.offset) % size_ ? Part{0, transfer_.receive} : Part{};
    default:
      return {};
  }
}

TransferParts::Part TransferParts::sum_part() const noexcept {
  if (transfer_.kind == TransferKind::all_reduce) return block_of_sum(my_index_);
  return {my_index_ * part_nbytes(), transfer_.receive};
}

// The block of an all_reduce that a member sums; borders on whole elements.
TransferParts::Part TransferParts::block_of_sum(std::uint32_t member) const noexcept {
  const std::uint64_t item = itemsize(transfer_.dtype), count = transfer_.receive.size() / item;
  const std::uint64_t begin = count * member / size_ * item,
                      end = count * (member + 1) / size_ * item;
  return {begin, transfer_.receive.subspan(begin, end - begin)};
}

bool TransferParts::reads_from(std::uint32_t member) const noexcept {
  if (member == my_index_) return false;
  switch (transfer_.kind) {
    case TransferKind::broadcast:
      return member == transfer_.root;
    case TransferKind::shift:
      return member == (my_index_ + transfer_.offset) % size_;
    case TransferKind::send:
    case TransferKind::barrier:
      return false;
    default:
      return true;
  }
}

bool TransferParts::is_read_by(std::uint32_t member) const noexcept {
  if (member == my_index_) return false;
  switch (transfer_.kind) {
    case TransferKind::broadcast:
      return my_index_ == transfer_.root;
    case TransferKind::shift:
      return my_index_ == (member + transfer_.offset) % size_;
    case TransferKind::recv:
    case TransferKind::barrier:
      return false;
    default:
      return true;
  }
}

}  // namespace megascale::comm
