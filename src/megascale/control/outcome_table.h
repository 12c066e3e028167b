#ifndef MEGASCALE_CONTROL_OUTCOME_TABLE_H_
#define MEGASCALE_CONTROL_OUTCOME_TABLE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "megascale/control/messages.h"

namespace megascale::control {

// The outcomes of the last steps of an attempt, as its ranks have reported them. One thread.
class OutcomeTable {
 public:
  static constexpr std::size_t kSteps = 64;  // that trim() keeps
  using ByRank = std::map<std::uint32_t, StepOutcome>;

  // Another attempt begins.
  void clear();
  // Takes what a rank reports; reports of earlier steps than those that are kept are dropped.
  void take(const RankReport& rank);
  // Drops all but the newest steps. Called after the steps were judged: a late heartbeat brings more
  // than kSteps of short steps at once, and the first of them may be the one in doubt.
  void trim();
  // By step, ascending.
  [[nodiscard]] const std::map<std::int64_t, ByRank>& steps() const noexcept { return steps_; }
  // The ranks of each group of copies, ascending, by the group's name and its place in
  // StepOutcome::digests.
  struct Group {
    std::size_t place = 0;
    std::vector<std::uint32_t> ranks;
  };
  [[nodiscard]] const std::map<std::uint64_t, Group>& groups() const noexcept { return groups_; }
  // The ranks that do the same work, ascending, by the digest of their plan.
  [[nodiscard]] const std::map<std::uint64_t, std::vector<std::uint32_t>>& classes()
      const noexcept {
    return classes_;
  }

 private:
  std::map<std::int64_t, ByRank> steps_;
  std::map<std::uint64_t, Group> groups_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> classes_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_OUTCOME_TABLE_H_
