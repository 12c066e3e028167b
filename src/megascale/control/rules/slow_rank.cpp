// Rule slow_rank: a rank computes more slowly than the ranks that do the same work.
//
// The time of a rank is what its compute lane needs in a step. Neither waiting for other ranks counts,
// so a rank that waits for a slow one is not blamed, nor waiting for a core, so other programs blame
// nobody. Ranks with the same plan are compared: every step is the same work. The time of a rank is
// a low quantile of its last kSteps steps: a disturbance of some steps does not count, and a rank that
// is slow is so in all of them. A rank is slow if its time exceeds the median of the ranks by
// slow_share, and by the spread of their times (observe/spread.h), so that ranks that
// all differ blame nobody. Ranks of a host with fewer cores than ranks slow each other down and are
// not judged.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "megascale/control/rules/rule.h"
#include "megascale/observe/rank_step.h"
#include "megascale/observe/spread.h"

namespace megascale::control {
namespace {

constexpr std::size_t kSteps = 16;    // named within 20 steps
constexpr std::size_t kQuantile = 3;  // so many of them are shorter

double worked(const StepOutcome& outcome) noexcept {
  return static_cast<double>(outcome.work_ns) * 1e-9;
}

// The low quantile of `seconds` of the last steps of a rank; nothing if it has not reported enough.
std::optional<double> time_of(const OutcomeTable& table, std::uint32_t rank,
                              double (*seconds)(const StepOutcome&) noexcept) {
  std::vector<double> times;
  for (auto step = table.steps().rbegin(); step != table.steps().rend(); ++step) {
    const auto found = step->second.find(rank);
    if (found == step->second.end() || found->second.work_ns <= 0) continue;
    times.push_back(seconds(found->second));
    if (times.size() == kSteps) break;
  }
  if (times.size() < kSteps) return std::nullopt;
  const auto place = times.begin() + static_cast<std::ptrdiff_t>(kQuantile);
  std::nth_element(times.begin(), place, times.end());
  return *place;
}

// The ranks that have a core of their own.
std::set<std::uint32_t> ranks_with_cores(const JobSight& sight) {
  std::set<std::uint32_t> ranks;
  for_each_rank(sight, [&](const std::string& host, const RankReport& rank) {
    const Heartbeat& heartbeat = sight.hosts.at(host).heartbeat;
    if (heartbeat.ranks.size() <= heartbeat.facts.cores) ranks.insert(rank.rank);
  });
  return ranks;
}

struct Slow {
  std::uint32_t rank = 0;
  double seconds = 0;
  observe::Spread spread;
};

std::optional<Slow> slowest_of(const OutcomeTable& table, const std::vector<std::uint32_t>& ranks,
                               double share) {
  std::vector<double> times;
  Slow slowest;
  for (const std::uint32_t rank : ranks) {
    const auto seconds = time_of(table, rank, observe::needed_seconds);
    if (!seconds) return std::nullopt;
    times.push_back(*seconds);
    if (*seconds > slowest.seconds) {
      slowest.rank = rank;
      slowest.seconds = *seconds;
    }
  }
  slowest.spread = observe::spread_of(times, share * observe::lower_median(times));
  if (slowest.seconds <= slowest.spread.limit) return std::nullopt;
  return slowest;
}

// Tells slow cores from a rank that does not run all the time.
std::string cause_of(const OutcomeTable& table, const Slow& slow) {
  const double work = time_of(table, slow.rank, worked).value_or(slow.seconds);
  if (work > (slow.spread.usual + slow.seconds) / 2)
    return "it needs more processor time for the same work, so its cores are slower";
  return fmt::format(
      "it stands still for {:.3g} s of that and waits for no core, so it is throttled "
      "or stopped again and again",
      slow.seconds - work);
}

}  // namespace

std::optional<Verdict> slow_rank(const JobSight& sight) {
  if (sight.outcomes == nullptr || sight.settings.slow_share == 0) return std::nullopt;
  const std::set<std::uint32_t> judged = ranks_with_cores(sight);
  for (const auto& [plan, members] : sight.outcomes->classes()) {
    std::vector<std::uint32_t> ranks;
    std::set_intersection(members.begin(), members.end(), judged.begin(), judged.end(),
                          std::back_inserter(ranks));
    if (ranks.size() < 2) continue;
    const auto slow = slowest_of(*sight.outcomes, ranks, sight.settings.slow_share);
    if (!slow) continue;
    Verdict verdict{
        .rule = "slow_rank",
        .action = Action::alert,
        .rank = slow->rank,
        .step = sight.outcomes->steps().rbegin()->first,
        .what = fmt::format("rank {} computes {:.0f} % longer than the others", slow->rank,
                            100 * (slow->seconds / slow->spread.usual - 1)),
        .evidence = fmt::format("{:.3g} s a step, {} ranks with the same work {:.3g} s, "
                                "the limit is {:.3g} s; without waiting for ranks or cores, "
                                "of the last {} steps; {}",
                                slow->seconds, ranks.size(), slow->spread.usual, slow->spread.limit,
                                kSteps, cause_of(*sight.outcomes, *slow)),
        .covers_ns = static_cast<std::int64_t>((kSteps - kQuantile) * slow->seconds * 1e9)};
    for_each_rank(sight, [&](const std::string& host, const RankReport& rank) {
      if (rank.rank == slow->rank) verdict.host = host;
    });
    return verdict;
  }
  return std::nullopt;
}

}  // namespace megascale::control
