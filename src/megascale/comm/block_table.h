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

// The block sizes of one member's part of an all_to_all_v, read and checked, and the place of each
// block in its buffer. One table per end of a group; read() reuses its memory. Internal to comm/.
class BlockTable {
 public:
  // `ranks`: the ranks of the members, in member order, for errors.
  BlockTable(std::vector<std::uint32_t> ranks, std::uint32_t my_index);

  // Reads the sizes of this member's blocks from transfer.counts, which must lie in host memory.
  // Returns an error if they are wrong; then the table must not be used.
  [[nodiscard]] std::optional<Error> read(const Transfer& transfer);
  // Like read(), but also checks the counts of all members against each other. `all` holds the send
  // counts of member 0, its receive counts, the send counts of member 1, and so on. All members
  // that pass the same counts get the same error.
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
  // Returns the error for two members, given by number: `sender` sends `rows` rows to `receiver`,
  // which expects `expected` rows.
  [[nodiscard]] Error disagreement(std::uint32_t sender, std::uint64_t rows, std::uint32_t receiver,
                                   std::uint64_t expected) const;

 private:
  struct Block {
    std::uint64_t begin = 0;  // offset in the buffer, bytes
    std::uint64_t rows = 0;
  };
  [[nodiscard]] std::uint64_t nbytes(const Block& block) const noexcept {
    return block.rows * transfer_.counts.row_nbytes;
  }
  // Checks the counts of one member against the bound and the sizes of the buffers, which are equal
  // on all members.
  [[nodiscard]] std::optional<Error> check(std::uint32_t member, const BlockCounts& counts,
                                           const Transfer& mine) const;
  void fill(const Transfer& transfer);

  std::vector<std::uint32_t> ranks_;
  std::uint32_t my_index_;
  Transfer transfer_;
  std::vector<Block> sends_, receives_;  // by member
};

// Returns `ranks`, or 0, 1, ..., size - 1 if it is empty: then errors name members by their number
// in the group.
[[nodiscard]] std::vector<std::uint32_t> ranks_or_numbers(std::vector<std::uint32_t> ranks,
                                                          std::size_t size);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_BLOCK_TABLE_H_
