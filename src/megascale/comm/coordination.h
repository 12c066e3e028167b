#ifndef MEGASCALE_COMM_COORDINATION_H_
#define MEGASCALE_COMM_COORDINATION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"

namespace megascale::comm {

// Coordination exchanges short messages between the ranks of a job, outside of plans: a few at the
// start and at each save, such as where the checkpoint lies. Steps without a save need none.
//
// Every rank must make the same calls in the same order, one at a time. A call waits for the other
// ranks; the implementation says how long. `about` describes the purpose of a call in error
// messages. Once any rank has called abort(), every call throws Error.
class Coordination {
 public:
  Coordination() = default;
  Coordination(const Coordination&) = delete;
  Coordination& operator=(const Coordination&) = delete;
  virtual ~Coordination() = default;
  [[nodiscard]] virtual std::uint32_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t world_size() const noexcept = 0;
  // Returns the message of rank 0 on every rank. The messages of the other ranks are ignored.
  virtual std::string broadcast(std::string message, std::string_view about) = 0;
  // Returns the messages of all ranks, in rank order, on rank 0. Returns nothing on other ranks.
  virtual std::vector<std::string> gather(std::string message, std::string_view about) = 0;
  // Returns true on every rank if `mine` is true on any rank.
  virtual bool any(bool mine, std::string_view about) = 0;
  // Consecutive ranks, this one among them, that shift() connects.
  struct Near {
    std::uint32_t first = 0, count = 1;
  };
  [[nodiscard]] virtual Near near() const noexcept = 0;
  // Takes the bytes of the near rank `offset` places after this one, cyclically, and gives `send` to
  // the one that many places before it. Sizes and offset must be equal on all near ranks, and the
  // offset below their count.
  virtual void shift(std::span<const std::byte> send, std::span<std::byte> receive,
                     std::uint32_t offset, std::string_view about) = 0;
  // Sets whether calls of this rank give up after a time (the default) or wait without a limit. They
  // need no limit while the caller learns in another way that a rank is lost, and then calls
  // abort(). Also changes a call that is under way: its time begins when the limit is set. Any thread
  // may call it. Implementations without a limit ignore it.
  virtual void limit_waits(bool limited) noexcept { (void)limited; }
  // Makes the calls of all ranks throw. If it is called several times, the other ranks see the
  // first error. Any thread may call it.
  virtual void abort(const Error& error) noexcept = 0;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_COORDINATION_H_
