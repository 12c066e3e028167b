#ifndef MEGASCALE_COMM_LOCAL_LOCAL_GROUP_H_
#define MEGASCALE_COMM_LOCAL_LOCAL_GROUP_H_

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "megascale/base/wakeup.h"
#include "megascale/comm/block_table.h"
#include "megascale/comm/communicator.h"
#include "megascale/comm/local/local_mover.h"

namespace megascale::comm {

// A group of ranks that are threads of one process. Members read each other's memory directly.
//
// A transfer has three steps. A member goes on from a step only when every member has reached it.
//   step 0  reached by start(), for an all_to_all_v when the counts are read. After it (first
//           half), each member copies from its peers' memory, or sums its block of that memory.
//   step 1  reached after the first half. After it (second half), for an all_reduce, each member
//           copies the blocks that the others have summed.
//   step 2  reached after the second half. After it the transfer is done: no member reads a
//           peer's memory any more.
class LocalGroup {
 public:
  // `wakeups[i]` is notified whenever member i may be able to go on; it must outlive the group.
  // `ranks`: the members' ranks, for errors. If empty, errors name members by their number.
  explicit LocalGroup(std::vector<Wakeup*> wakeups, std::vector<std::uint32_t> ranks = {});
  // Makes a group and returns its ends; element i is for member i. The ends own the group together,
  // so each may be destroyed at any time.
  static std::vector<std::unique_ptr<Communicator>> make(std::vector<Wakeup*> wakeups,
                                                         std::vector<std::uint32_t> ranks = {});
  // Sets how an end accesses memory. The default is HostMover. Call it before the end's first
  // transfer; all ends of a group must have movers of the same kind.
  static void set_mover(Communicator& end, std::unique_ptr<LocalMover> mover);

 private:
  friend class LocalCommunicator;
  static constexpr std::size_t kSteps = 3;

  [[nodiscard]] std::size_t size() const noexcept { return wakeups_.size(); }
  void arrive(std::size_t member, std::size_t step) noexcept;
  [[nodiscard]] bool all_arrived(std::size_t step, std::uint64_t sequence) const noexcept;
  void fail(const Error& error) noexcept;
  // A member calls these before and after it touches peers' memory. If begin_touching() returns
  // false, the group has failed and the member must not touch that memory.
  bool begin_touching() noexcept;
  void end_touching() noexcept;

  std::vector<Wakeup*> wakeups_;
  std::vector<std::unique_ptr<LocalMover>> movers_;  // by member
  std::vector<Transfer> parts_;                      // by member: its current transfer
  std::vector<BlockTable> tables_;                   // by member: for an all_to_all_v
  std::vector<std::atomic<std::uint64_t>> reached_;  // by member: steps reached, of all transfers
  std::array<std::atomic<std::uint64_t>, kSteps> arrivals_;  // by step: arrivals, of all transfers
  std::atomic<bool> failed_{false};
  std::atomic<std::uint32_t> touching_{0};  // members that access peers' memory right now
  mutable std::mutex error_mutex_;
  std::optional<Error> error_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_GROUP_H_
