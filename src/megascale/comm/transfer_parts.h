#ifndef MEGASCALE_COMM_TRANSFER_PARTS_H_
#define MEGASCALE_COMM_TRANSFER_PARTS_H_

#include <cstdint>
#include <span>

#include "megascale/comm/block_table.h"
#include "megascale/comm/communicator.h"

namespace megascale::comm {

// Turns a TransferRule into bytes: which bytes of one member's transfer go to, and come from, every
// other member. All back ends move bytes by it. A value; the transfer's memory and the table must
// outlive its use.
class TransferParts {
 public:
  TransferParts() = default;
  // `blocks`: of an all_to_all_v, read.
  TransferParts(const Transfer& transfer, std::uint32_t my_index, std::uint32_t size,
                const BlockTable& blocks) noexcept
      : transfer_(transfer), my_index_(my_index), size_(size), blocks_(&blocks) {}

  struct Part {
    std::uint64_t offset = 0;  // in what the member exposes to this one
    std::span<std::byte> room;
  };

  [[nodiscard]] const Transfer& transfer() const noexcept { return transfer_; }
  [[nodiscard]] const TransferRule& rule() const noexcept { return *transfer_.rule; }
  // What besides kind and bytes all members must agree on.
  [[nodiscard]] std::uint32_t argument() const noexcept;

  // Of what one member gives another; in an all_reduce all of it, in an all_to_all_v the bound.
  [[nodiscard]] std::uint64_t part_nbytes() const noexcept;
  // What others read of this member.
  [[nodiscard]] std::span<const std::byte> exposed() const noexcept;
  // What this member tells another of it: all, but in an all_to_all_v the other's block alone, as
  // the other cannot know where that begins.
  [[nodiscard]] std::span<const std::byte> exposed_to(std::uint32_t member) const noexcept;
  [[nodiscard]] bool is_read_by(std::uint32_t member) const noexcept;
  [[nodiscard]] std::span<const std::byte> part_for(std::uint32_t member) const noexcept;
  // What a member reads of this one; of an all_reduce in its first pass.
  [[nodiscard]] std::span<const std::byte> first_read_by(std::uint32_t member) const noexcept;

  [[nodiscard]] bool reads_from(std::uint32_t member) const noexcept;
  // Where it comes from and goes; of an all_reduce in its second pass. Empty where nothing is read.
  [[nodiscard]] Part part_from(std::uint32_t member) const noexcept;
  // What this member sums.
  [[nodiscard]] Part sum_part() const noexcept;

 private:
  // Whether the rule says that this member takes from that one; of itself too.
  [[nodiscard]] bool is_source(std::uint32_t member) const noexcept;
  [[nodiscard]] Part block_of_sum(std::uint32_t member) const noexcept;

  Transfer transfer_;
  std::uint32_t my_index_ = 0, size_ = 1;
  const BlockTable* blocks_ = nullptr;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_TRANSFER_PARTS_H_
