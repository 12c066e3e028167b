#include "megascale/control/outcome_table.h"

#include <algorithm>

namespace megascale::control {
namespace {

void insert_into(std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
  if (at == ranks.end() || *at != rank) ranks.insert(at, rank);
}

}  // namespace

void OutcomeTable::clear() {
  steps_.clear();
  groups_.clear();
  classes_.clear();
}

void OutcomeTable::take(const RankReport& rank) {
  for (std::size_t place = 0; place < rank.groups.size() && place < kReplicaGroups; ++place) {
    if (rank.groups[place] == 0) continue;
    Group& group = groups_[rank.groups[place]];
    group.place = place;
    insert_into(group.ranks, rank.rank);
  }
  if (rank.plan != 0) insert_into(classes_[rank.plan], rank.rank);
  for (const StepOutcome& outcome : rank.outcomes) {
    if (steps_.size() >= kSteps && outcome.step < steps_.begin()->first) continue;
    steps_[outcome.step][rank.rank] = outcome;
  }
}

void OutcomeTable::trim() {
  while (steps_.size() > kSteps) steps_.erase(steps_.begin());
}

}  // namespace megascale::control
