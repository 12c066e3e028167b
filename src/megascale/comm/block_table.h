#ifndef MEGASCALE_COMM_BLOCK_TABLE_H_
#define MEGASCALE_COMM_BLOCK_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/comm/communicator.h"

namespace megascale::comm {

// The blocks of one member's part of an all_to_all_v: the counts, read and checked, and where each
// block lies. One per end of a group; read() reuses its memory. Internal to comm/.
class BlockTable {
 public:
  // `ranks`: of the members, in their order; errors name them.
  BlockTable(std::vector<std::uint32_t> ranks, std::uint32_t my_index);

  // Takes the sizes of this member's blocks from transfer.counts, which the host can read here.
  // Returns what is wrong with them, if anything; then the table must not be used.
  [[nodiscard]] std::optional<Error> read(const Transfer& transfer);
  // The same, and checks the counts of all members: `all` holds, by member, its send counts and
  // then its receive counts. All members that call it with the same counts find the same error.
  [[nodiscard]] std::optional<Error> read_all(const Transfer& transfer,
                                              std::span<const std::byte> all);

  [[nodiscard]] std::uint64_t rows_to(std::uint32_t member) const noexcept {
    return sends_[member].rows;
  }
  [[nodiscard]] std::uint64_t rows_from(std::uint32_t member) const noexcept {
    return receives_[member].rows;
  }
  [[nodiscard]] std::span<const std::byte> send_block(std::uint32_t member) const noexcept {
    return transfer_.send.subspan(sends_[member].begin, nbytes(sends_[member]));
  }
  [[nodiscard]] std::span<std::byte> receive_block(std::uint32_t member) const noexcept {
    return transfer_.receive.subspan(receives_[member].begin, nbytes(receives_[member]));
  }
  // Of members by their number: `sender` sends `rows` to `receiver`, which expects another number.
  [[nodiscard]] Error disagreement(std::uint32_t sender, std::uint64_t rows, std::uint32_t receiver,
                                   std::uint64_t expected) const;

 private:
  struct Block {
    std::uint64_t begin = 0;  // bytes
    std::uint64_t rows = 0;
  };
  [[nodiscard]] std::uint64_t nbytes(const Block& block) const noexcept {
    return block.rows * transfer_.counts.row_nbytes;
  }
  // What is wrong with the counts of one member by themselves.
  [[nodiscard]] std::optional<Error> check(std::uint32_t member, const BlockCounts& counts,
                                           const Transfer& mine) const;
  void fill(const Transfer& transfer);

  std::vector<std::uint32_t> ranks_;
  std::uint32_t my_index_;
  Transfer transfer_;
  std::vector<Block> sends_, receives_;  // by member
};

// `ranks`, or 0, 1, 2, ... where there are none: then errors name members by their number.
[[nodiscard]] std::vector<std::uint32_t> ranks_or_numbers(std::vector<std::uint32_t> ranks,
                                                          std::size_t size);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BLOCK_TABLE_H_
