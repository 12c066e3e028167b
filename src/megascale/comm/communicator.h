#ifndef MEGASCALE_COMM_COMMUNICATOR_H_
#define MEGASCALE_COMM_COMMUNICATOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "megascale/base/dtype.h"
#include "megascale/base/error.h"
#include "megascale/base/transfer_rule.h"

namespace megascale::comm {

// Where the blocks of an all_to_all_v lie in send and in receive.
enum class BlockLayout : std::uint8_t {
  packed,  // one behind the other, by their sizes: rows of all members are contiguous
  fixed,  // block i begins at i * bound rows; what lies behind its rows is neither read nor written
};

// Sizes of the blocks of an all_to_all_v, in rows, in memory that an earlier task wrote. They are
// read once the transfer has started and stay untouched until it is over. On devices they are
// device memory, and the communicator brings them to the host (docs/decisions/0017).
//
// What a member sends to another must be what that one expects. Bound, row size, dtype, layout and
// the sizes of both buffers must be equal on all members. If a count is negative or above the
// bound, or rows do not fit in a buffer, the transfer fails on every member. If two members' counts
// differ, it fails on both; another member may have all its bytes by then, and its next transfer
// fails. The error names the ranks and both sizes. Nothing outside of the blocks is written.
struct BlockCounts {
  std::span<const std::byte> send;     // [size] of dtype: rows for each member
  std::span<const std::byte> receive;  // [size] of dtype: rows that each member has for this one
  DType dtype = DType::int64;          // of the counts: int64 or int32
  std::uint64_t row_nbytes = 0;
  std::uint64_t bound = 0;  // rows that any one block has at most
  BlockLayout layout = BlockLayout::packed;
};

// One member's part of one transfer. The memory must stay untouched by others until poll() says
// done.
struct Transfer {
  const TransferRule* rule = &transfer_rules::barrier;  // must outlive the transfer
  std::span<const std::byte> send;                      // given; of a buffer that holds both unused
  std::span<std::byte> receive;                         // taken
  DType dtype = DType::float32;  // of sums: float32, float64, int64; on devices bfloat16 too
  std::uint32_t root = 0;        // of a broadcast
  std::uint32_t offset = 0;      // of a shift, below size
  BlockCounts counts{};          // of an all_to_all_v
};

enum class Progress : std::uint8_t {
  waiting,  // not every member has started it
  moving,   // every member has started it
  done,     // no member will touch this member's memory any more
  failed,   // see error(); here too no member will touch this member's memory any more
};

// Members that hold a transfer up.
struct Awaited {
  std::vector<std::uint32_t> members;  // empty: none
  bool started = false;  // false: they have not started it; true: all have, these are not through
};

// A rank's end of a group. Transfers match by their number on the communicator and meet
// (rendezvous): none is done before every member has started it. One transfer at a time per end;
// start() and poll() never block, and are called by one thread (the rank's progress thread). Sums
// add in member order: the bits do not depend on timing or on the back end.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;
  [[nodiscard]] virtual std::uint32_t size() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t my_index() const noexcept = 0;
  virtual void start(const Transfer& transfer) noexcept = 0;
  virtual Progress poll() noexcept = 0;
  // Makes every member's transfers fail from now on, with this error; the first call wins. Any
  // thread.
  virtual void abort(const Error& error) noexcept = 0;
  // The reason of `failed`.
  [[nodiscard]] virtual Error error() const = 0;
  // Whom the transfer that this end started last waits for. Any thread.
  [[nodiscard]] virtual Awaited awaited() const = 0;
  // Where transfers are done once they are handed over to a device: what has gone wrong with one
  // since. Transfers fail from then on. Nothing as a rule.
  [[nodiscard]] virtual std::optional<Error> lost() noexcept { return std::nullopt; }
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_COMMUNICATOR_H_
