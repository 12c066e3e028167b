#ifndef MEGASCALE_COMM_UCX_UCX_COORDINATION_H_
#define MEGASCALE_COMM_UCX_UCX_COORDINATION_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "megascale/base/wakeup.h"
#include "megascale/comm/coordination.h"
#include "megascale/comm/ucx/ucx_worker.h"

namespace megascale::comm {

// Coordination between ranks that are processes.
//
// Problem  Every waiting rank should find out by itself which rank is missing, but in a large job
//          a rank cannot be connected to all others.
// Idea     Ranks form groups of consecutive ranks, in which each member hears from each. The first
//          rank of every group represents it in a group of the next level. Up to group_max ranks
//          form a single group.
// Bounds   A wait ends with ErrorCode::timeout; the error names the ranks that have not come. A
//          call collects messages from the lowest level up, then distributes them from the highest
//          down. Each of these steps waits a tenth of the timeout longer than the one before. So
//          the ranks that wait for the missing rank itself report first.
//
// Threads: as Coordination. The worker and its wakeup must serve this object alone: nobody polls
// them while a step runs. The lane runner's progress thread has its own worker.
class UcxCoordination final : public Coordination {
 public:
  struct Options {
    std::uint32_t rank = 0, world_size = 1;
    std::chrono::nanoseconds timeout{0};  // control.timeout_seconds; 0: no limit
    std::uint32_t group_max = 64;         // most ranks in a group; at least 2
  };
  // Returns the address of a rank's worker. It is called for the members of groups() only.
  using AddressOf = std::function<std::vector<std::byte>(std::uint32_t rank)>;

  // `worker` and `wakeup` must outlive this object. Throws the errors of UcxWorker::make_group.
  UcxCoordination(UcxWorker& worker, Wakeup& wakeup, const Options& options,
                  const AddressOf& address_of);
  // Returns the groups that a rank is in, the lowest level first.
  [[nodiscard]] static std::vector<std::vector<std::uint32_t>> groups(const Options& options);

  [[nodiscard]] std::uint32_t rank() const noexcept override { return options_.rank; }
  [[nodiscard]] std::uint32_t world_size() const noexcept override { return options_.world_size; }
  std::string broadcast(std::string message, std::string_view about) override;
  std::vector<std::string> gather(std::string message, std::string_view about) override;
  bool any(bool mine, std::string_view about) override;
  // The members of the lowest group.
  [[nodiscard]] Near near() const noexcept override;
  void shift(std::span<const std::byte> send, std::span<std::byte> receive, std::uint32_t offset,
             std::string_view about) override;
  void limit_waits(bool limited) noexcept override;
  void abort(const Error& error) noexcept override;
  // Holds a roll call after a time-out: asks the other ranks of this rank's lowest group whether
  // they are still running, and returns those that do not answer. Every rank that has failed must
  // call it once, since the call is also the answer to the others. It ends when all have answered,
  // when a rank's process ends, when no further rank has answered for about a second, or after
  // about five seconds.
  [[nodiscard]] std::vector<std::uint32_t> silent_ranks();

 private:
  class Patience;
  struct Level {
    std::vector<std::uint32_t> members;
    std::unique_ptr<Communicator> group;
  };
  // Returns the messages of all members of this rank's group at a level, in group order.
  std::vector<std::string> exchange(std::size_t level, const std::string& message,
                                    std::string_view about);
  // Returns the message of the group's first member.
  std::string from_first(std::size_t level, std::string message, std::string_view about);
  // Runs a transfer in this rank's group at a level. Waits at most `patience` times the timeout.
  // Throws Error.
  void run(std::size_t level, const Transfer& transfer, double patience, std::string_view about);
  // Returns the error that names the ranks which a group waits for.
  [[nodiscard]] Error missing(const Level& level, std::string_view about) const;
  // Returns true if this rank is in the group of the highest level.
  [[nodiscard]] bool is_at_top() const noexcept { return levels_.size() == level_count_; }

  Options options_;
  UcxWorker* worker_;
  Wakeup* wakeup_;
  // When the limit of waits was set (steady_clock, since its epoch), or kUnlimited.
  static constexpr std::int64_t kUnlimited = INT64_MAX;
  std::atomic<std::int64_t> limited_since_{0};
  std::size_t level_count_;  // levels of the whole job; this rank may be in fewer
  std::vector<Level> levels_;
  std::unique_ptr<Communicator> roll_call_;  // the members of the lowest level, for silent_ranks()
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_UCX_COORDINATION_H_
