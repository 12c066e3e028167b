#ifndef MEGASCALE_COMM_TRANSFER_PARTS_H_
#define MEGASCALE_COMM_TRANSFER_PARTS_H_

#include <cstdint>
#include <span>

#include "megascale/comm/block_table.h"
#include "megascale/comm/communicator.h"

namespace megascale::comm {

// Turns a TransferRule into byte ranges: which bytes of a member's transfer go to every other
// member, and which come from it. All back ends use it. It is a value; the transfer's memory and
// the block table must outlive its use.
//
// Terms: a member exposes bytes: peers may read them during the transfer. A part is the range of
// these bytes that one peer reads.
class TransferParts {
 public:
  TransferParts() = default;
  // `blocks`: for an all_to_all_v, a table that has read the transfer's counts.
  TransferParts(const Transfer& transfer, std::uint32_t my_index, std::uint32_t size,
                const BlockTable& blocks) noexcept
      : transfer_(transfer), my_index_(my_index), size_(size), blocks_(&blocks) {}

  struct Part {
    std::uint64_t offset = 0;   // of the part in the bytes that a peer exposes to this member
    std::span<std::byte> room;  // where the part goes in this member's memory
  };

  [[nodiscard]] const Transfer& transfer() const noexcept { return transfer_; }
  [[nodiscard]] const TransferRule& rule() const noexcept { return *transfer_.rule; }
  // Returns the argument that must be equal on all members, besides the kind and the sizes: the
  // root, the offset or the row size; 0 if the kind has none.
  [[nodiscard]] std::uint32_t argument() const noexcept;

  // Returns the size of the part that one member gives to another. For an all_reduce: of the whole
  // buffer. For an all_to_all_v: of the largest possible block.
  [[nodiscard]] std::uint64_t part_nbytes() const noexcept;
  // Returns the bytes that this member exposes to its peers.
  [[nodiscard]] std::span<const std::byte> exposed() const noexcept;
  // Returns the exposed bytes whose place this member announces to another member: all of them,
  // except for an all_to_all_v. There it is only the block for that member, since the other cannot
  // know where the block begins.
  [[nodiscard]] std::span<const std::byte> exposed_to(std::uint32_t member) const noexcept;
  // Returns true if another member reads bytes of this one. False for this member itself.
  [[nodiscard]] bool is_read_by(std::uint32_t member) const noexcept;
  // Returns the part of the exposed bytes that is for `member`.
  [[nodiscard]] std::span<const std::byte> part_for(std::uint32_t member) const noexcept;
  // Returns the bytes of this member that `member` reads first. For an all_reduce these are the
  // block that `member` sums (first pass); for other kinds, part_for(member).
  [[nodiscard]] std::span<const std::byte> first_read_by(std::uint32_t member) const noexcept;

  // Returns true if this member reads bytes of another one. False for this member itself.
  [[nodiscard]] bool reads_from(std::uint32_t member) const noexcept;
  // Returns the part that this member copies from `member` (which may be itself). For an
  // all_reduce: the block that `member` has summed (second pass). Empty if nothing is copied.
  [[nodiscard]] Part part_from(std::uint32_t member) const noexcept;
  // Returns the block that this member sums: its offset in the bytes that every member exposes, and
  // where the sum goes.
  [[nodiscard]] Part sum_part() const noexcept;

 private:
  // Returns true if this member takes bytes from `member`, by the rule. May be true for itself.
  [[nodiscard]] bool is_source(std::uint32_t member) const noexcept;
  [[nodiscard]] Part block_of_sum(std::uint32_t member) const noexcept;

  Transfer transfer_;
  std::uint32_t my_index_ = 0, size_ = 1;
  const BlockTable* blocks_ = nullptr;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_TRANSFER_PARTS_H_
