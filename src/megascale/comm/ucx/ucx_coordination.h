#ifndef MEGASCALE_COMM_UCX_UCX_COORDINATION_H_
#define MEGASCALE_COMM_UCX_UCX_COORDINATION_H_

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
// Problem  Every rank that waits should see for itself who is missing, and no rank of a large job
//          can know all others.
// Idea     Ranks meet in groups of neighbours, in which each hears of each; the first of every
//          group stands for it in a group of the next level. Up to group_max ranks are one group.
// Bounds   A wait ends with ErrorCode::timeout that names the ranks which have not come. Levels
//          above wait a tenth longer, so that the one who sees the missing rank speaks first.
//
// Threads: as Coordination. The worker and its wakeup serve this object alone: while a step runs
// nobody looks at them, and the progress thread of the lane runner has its own.
class UcxCoordination final : public Coordination {
 public:
  struct Options {
    std::uint32_t rank = 0, world_size = 1;
    std::chrono::nanoseconds timeout{0};  // control.timeout_seconds; zero: waits for ever
    std::uint32_t group_max = 64;         // ranks
  };
  // The addresses of other ranks' workers; asked for the members of groups() only.
  using AddressOf = std::function<std::vector<std::byte>(std::uint32_t rank)>;

  // `worker` and `wakeup` must outlive it. Throws Error as UcxWorker::make_group.
  UcxCoordination(UcxWorker& worker, Wakeup& wakeup, const Options& options,
                  const AddressOf& address_of);
  // The groups that a rank is in, the lowest level first.
  [[nodiscard]] static std::vector<std::vector<std::uint32_t>> groups(const Options& options);

  [[nodiscard]] std::uint32_t rank() const noexcept override { return options_.rank; }
  [[nodiscard]] std::uint32_t world_size() const noexcept override { return options_.world_size; }
  std::string broadcast(std::string message, std::string_view about) override;
  std::vector<std::string> gather(std::string message, std::string_view about) override;
  bool any(bool mine, std::string_view about) override;
  void abort(const Error& error) noexcept override;
  // After a time-out, once: asks the other ranks of the lowest group whether they are still there,
  // and returns who does not answer. Every rank that has failed asks; a rank that is about waits
  // for the others as long as they keep coming, a few seconds at most.
  [[nodiscard]] std::vector<std::uint32_t> silent_ranks();

 private:
  class Patience;
  struct Level {
    std::vector<std::uint32_t> members;
    std::unique_ptr<Communicator> group;
  };
  // What every member of a group says, in group order.
  std::vector<std::string> exchange(std::size_t level, const std::string& message,
                                    std::string_view about);
  // What the first member of a group says.
  std::string from_first(std::size_t level, std::string message, std::string_view about);
  void run(std::size_t level, const Transfer& transfer, double patience, std::string_view about);
  [[nodiscard]] Error missing(const Level& level, std::string_view about) const;
  // This rank is in the group that holds all others directly or through their first.
  [[nodiscard]] bool is_at_top() const noexcept { return levels_.size() == level_count_; }

  Options options_;
  UcxWorker* worker_;
  Wakeup* wakeup_;
  std::size_t level_count_;  // of the job
  std::vector<Level> levels_;
  std::unique_ptr<Communicator> roll_call_;  // of the lowest level's members
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_UCX_COORDINATION_H_
