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

// Ranks as threads of one process: members read each other's memory directly. A transfer goes
// through steps that every member must reach before any goes on; the last reads of peers' memory
// lie before the last step.
class LocalGroup {
 public:
  // `wakeups[i]` is notified whenever member i may be able to go on; they must outlive the group.
  // `ranks`: of the members, for errors; none: errors name members by their number.
  explicit LocalGroup(std::vector<Wakeup*> wakeups, std::vector<std::uint32_t> ranks = {});
  // The end of member i; each may be taken once and outlives the group safely (shared ownership).
  static std::vector<std::unique_ptr<Communicator>> make(std::vector<Wakeup*> wakeups,
                                                         std::vector<std::uint32_t> ranks = {});
  // How an end that make() made touches memory; all ends of a group alike, each before its first
  // transfer. Memory of the host unless said.
  static void set_mover(Communicator& end, std::unique_ptr<LocalMover> mover);

 private:
  friend class LocalCommunicator;
  static constexpr std::size_t kSteps = 3;

  [[nodiscard]] std::size_t size() const noexcept { return wakeups_.size(); }
  void arrive(std::size_t member, std::size_t step) noexcept;
  [[nodiscard]] bool all_arrived(std::size_t step, std::uint64_t sequence) const noexcept;
  void fail(const Error& error) noexcept;
  // Around the use of peers' memory. False: the group has failed, and nothing may be touched.
  bool begin_touching() noexcept;
  void end_touching() noexcept;

  std::vector<Wakeup*> wakeups_;
  std::vector<std::unique_ptr<LocalMover>> movers_;  // by member
  std::vector<Transfer> parts_;                      // by member: what it handed over
  std::vector<BlockTable> tables_;                   // by member: of an all_to_all_v
  std::vector<std::atomic<std::uint64_t>> reached_;  // by member: steps of all transfers so far
  std::array<std::atomic<std::uint64_t>, kSteps> arrivals_;  // over all transfers so far
  std::atomic<bool> failed_{false};
  std::atomic<std::uint32_t> touching_{0};  // members that use peers' memory right now
  mutable std::mutex error_mutex_;
  std::optional<Error> error_;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_LOCAL_LOCAL_GROUP_H_
