#ifndef MEGASCALE_SERVE_RANK_HISTORY_H_
#define MEGASCALE_SERVE_RANK_HISTORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "megascale/observe/group_steps.h"
#include "megascale/observe/stragglers.h"
#include "megascale/serve/job_works.h"
#include "megascale/serve/rank_step_entry.h"
#include "megascale/serve/ring_follower.h"
#include "megascale/serve/step_store.h"

namespace megascale::serve {

// What is known of one rank: the numbers of its last steps.
struct RankEntry {
  std::string host;     // "" if the ring does not name it
  std::string problem;  // why its records cannot be used; "" if they can
  std::uint32_t process_id = 0;
  std::int64_t newest_in_ring = -1;
  std::map<std::int64_t, RankStepEntry> steps;
};

// The numbers of the last steps of all ranks. A ring holds a few steps only; this keeps more. Numbers
// that the run has stored (step_store.h) fill the gaps. It reads no files. One thread at a time may use it.
class RankHistory {
 public:
  static constexpr std::size_t kMostEntries = 40'000;
  // Keeps at most `most_entries` ranks times steps, but 16 steps of each rank at least: by default
  // about 100 MB, at 2.5 KB for each rank and step. `works` must outlive it.
  explicit RankHistory(const JobWorks& works, std::size_t most_entries = kMostEntries)
      : works_(&works), most_entries_(most_entries) {}
  // Takes what a ring has told. Returns whether a step before its new ones is missing.
  bool take(RingNews&& news);
  // Takes a stored step. It is left out if it belongs to another plan, or if the rank's ring ends before
  // it: it is then of an earlier process, and will be done again.
  void take(StoredStep&& stored);
  // Of one rank, if so many ranks have some.
  [[nodiscard]] std::size_t most_steps(std::size_t ranks) const;

  [[nodiscard]] const std::map<std::uint32_t, RankEntry>& ranks() const noexcept { return ranks_; }
  // Returns the last `most` steps that all usable ranks have, ascending.
  [[nodiscard]] std::vector<std::int64_t> common_steps(std::size_t most) const;
  // Returns who is slow in the last `most` common steps. `least_steps`: with fewer nobody is named.
  [[nodiscard]] const std::vector<observe::Straggler>& stragglers(std::size_t most,
                                                                  std::size_t least_steps) const;
  [[nodiscard]] const JobWorks& works() const noexcept { return *works_; }
  [[nodiscard]] const job::JobPlan& job() const noexcept { return works_->job(); }

 private:
  [[nodiscard]] const observe::GroupIndex& groups() const;
  void trim(RankEntry& entry) const;
  const JobWorks* works_;
  std::size_t most_entries_;
  std::map<std::uint32_t, RankEntry> ranks_;  // that have a ring or stored steps
  std::uint64_t version_ = 0;                 // grows whenever a number changes
  // Made when they are first asked for, since not every reader needs them.
  mutable std::optional<observe::GroupIndex> groups_;
  template <class Value>
  struct Kept {
    std::uint64_t version = ~std::uint64_t{0};
    std::size_t most = 0, least = 0;
    Value value;
  };
  mutable Kept<std::vector<std::int64_t>> common_;  // all of them
  mutable Kept<std::vector<observe::Straggler>> stragglers_;
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RANK_HISTORY_H_
