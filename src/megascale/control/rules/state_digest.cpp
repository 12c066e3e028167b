// Rule state_digest: the state of a rank has changed, or copies of the same state differ (silent
// corruption).
//
// Every update of the weights digests what it reads. If that is not what the update before has
// written, memory of this rank has changed in between: the rank is known, also without a copy.
//
// Every rank digests what it writes in each update of the weights. Ranks that hold copies of the
// same state must have equal digests. The first step at which they differ is looked for among those
// that all ranks of the group have reported. With three copies or more the majority is right, and
// the ranks that differ from it are named. With two, or without a majority, the replay decides: the
// job starts again from a state before that step, and the rank whose digest was another one than in
// the replay was wrong (driver_outcomes.cpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

constexpr std::size_t kMostRanksNamed = 8;

// The ranks of a group that differ from the majority; all of them without a majority. Empty: they
// agree, or not all have reported the step.
std::vector<std::uint32_t> odd_ranks(const OutcomeTable::Group& group,
                                     const OutcomeTable::ByRank& outcomes) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> by_digest;
  for (const std::uint32_t rank : group.ranks) {
    const auto found = outcomes.find(rank);
    if (found == outcomes.end()) return {};
    by_digest[found->second.digests[group.place]].push_back(rank);
  }
  if (by_digest.size() < 2) return {};
  std::vector<std::uint32_t> odd;
  for (const auto& [digest, ranks] : by_digest) {
    if (2 * ranks.size() <= group.ranks.size()) odd.insert(odd.end(), ranks.begin(), ranks.end());
  }
  std::sort(odd.begin(), odd.end());
  return odd;
}

std::string words_of(std::vector<std::uint32_t> ranks) {
  const bool cut = ranks.size() > kMostRanksNamed;
  if (cut) ranks.resize(kMostRanksNamed);
  return fmt::format("{}{}", fmt::join(ranks, ", "), cut ? ", ..." : "");
}

std::string host_of(const JobSight& sight, std::uint32_t rank) {
  std::string host;
  for_each_rank(sight, [&](const std::string& name, const RankReport& report) {
    if (report.rank == rank) host = name;
  });
  return host;
}

Verdict verdict_of(const JobSight& sight, std::int64_t step, const OutcomeTable::Group& group,
                   const OutcomeTable::ByRank& outcomes, const std::vector<std::uint32_t>& odd) {
  Verdict verdict{.rule = "state_digest", .step = step, .bad_step = step};
  const bool is_known = odd.size() < group.ranks.size();
  if (is_known && odd.size() == 1) {
    verdict.rank = odd.front();
    verdict.host = host_of(sight, odd.front());
    verdict.what = fmt::format("the state of rank {} differs from its copies", odd.front());
  } else if (is_known) {
    verdict.what = fmt::format("the states of ranks {} differ from their copies", words_of(odd));
  } else {
    verdict.what = fmt::format("ranks {} disagree about the state that they share", words_of(odd));
  }
  verdict.evidence = fmt::format("after the update of step {} (counted from 0)", step);
  std::size_t listed = 0;
  for (const std::uint32_t rank : group.ranks) {
    if (++listed > kMostRanksNamed && !std::binary_search(odd.begin(), odd.end(), rank)) continue;
    verdict.evidence +=
        fmt::format(", rank {}: {:016x}", rank, outcomes.at(rank).digests[group.place]);
    if (listed > 2 * kMostRanksNamed) break;
  }
  return verdict;
}

std::optional<Verdict> damaged_rank(const JobSight& sight, std::int64_t step,
                                    const OutcomeTable::ByRank& outcomes) {
  for (const auto& [rank, outcome] : outcomes) {
    if (outcome.damaged == 0) continue;
    return Verdict{.rule = "state_digest",
                   .rank = rank,
                   .host = host_of(sight, rank),
                   .step = step,
                   .what = fmt::format("the state in the memory of rank {} has changed", rank),
                   .evidence = fmt::format("{} updates of step {} (counted from 0) have read other "
                                           "bits than the step before had written",
                                           outcome.damaged, step),
                   .bad_step = step};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Verdict> state_digest(const JobSight& sight) {
  if (sight.outcomes == nullptr) return std::nullopt;
  for (const auto& [step, outcomes] : sight.outcomes->steps()) {
    if (auto verdict = damaged_rank(sight, step, outcomes)) return verdict;
    for (const auto& [name, group] : sight.outcomes->groups()) {
      const auto odd = odd_ranks(group, outcomes);
      if (!odd.empty()) return verdict_of(sight, step, group, outcomes, odd);
    }
  }
  return std::nullopt;
}

}  // namespace megascale::control
