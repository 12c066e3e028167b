// Votes step by step. Each cause gives one number per rank and step; peers are ranks with the same
// plan, or groups of the same kind. A group without another one of its kind is compared by its time per
// byte with groups that do the same, or with its own past.
#include "megascale/observe/stragglers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>

#include "megascale/observe/spread.h"

namespace megascale::observe {
namespace {

// A rank or a group that is judged, with its time in every step.
struct Candidate {
  std::vector<std::uint32_t> ranks;
  std::vector<double> values;
};
using Peers = std::vector<Candidate>;

// Facts about one step of all ranks that are compared with each other.
struct Common {
  bool is_needed_known = true;  // of all of them
  double core_wait = 0;         // the median
};

// The common of `ranks` in every step.
std::vector<Common> common_of(std::span<const RankSteps* const> ranks) {
  std::vector<Common> result(ranks.front()->steps.size());
  std::vector<double> waits(ranks.size());
  for (std::size_t s = 0; s < result.size(); ++s) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      waits[i] = ranks[i]->steps[s].core_wait;
      result[s].is_needed_known = result[s].is_needed_known && ranks[i]->steps[s].needed > 0;
    }
    result[s].core_wait = lower_median(waits);
  }
  return result;
}

double value_of(const RankTimes& step, SlowCause cause, const Common& common) {
  // On a busy machine all ranks wait for cores. Only what a rank waits longer than the others can be why it
  // is later than they.
  const double core_wait = std::max(0.0, step.core_wait - common.core_wait);
  switch (cause) {
    case SlowCause::compute:
      return common.is_needed_known ? step.needed : step.compute;
    case SlowCause::input:
      return std::max(0.0, step.data_wait - core_wait);
    case SlowCause::launch:
      return std::max(0.0, step.late_transfers - core_wait);
    case SlowCause::wire:
      break;
  }
  return 0;
}

// The time of a good step: an eighth of the steps are shorter.
double good_step(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 8);
  std::nth_element(sorted.begin(), place, sorted.end());
  return *place;
}

double least_excess(const StragglerOptions& options, double scale) {
  return std::max(options.share * scale, options.least_seconds);
}

// The steps in which each of the peers exceeds the usual value by the least excess. `scale` by step: what
// its share refers to; empty: the usual value of the step.
std::vector<std::size_t> count_votes(const Peers& peers, std::span<const double> scale,
                                     const StragglerOptions& options) {
  std::vector<std::size_t> votes(peers.size(), 0);
  std::vector<double> values(peers.size());
  for (std::size_t s = 0; s < peers.front().values.size(); ++s) {
    for (std::size_t i = 0; i < peers.size(); ++i) values[i] = peers[i].values[s];
    const double usual = lower_median(values);
    const double limit = usual + least_excess(options, scale.empty() ? usual : scale[s]);
    for (std::size_t i = 0; i < peers.size(); ++i) votes[i] += values[i] > limit ? 1 : 0;
  }
  return votes;
}

// Names the peers that stand out in enough steps, and in a good step.
std::vector<Straggler> vote(SlowCause cause, const Peers& peers, std::span<const double> scale,
                            const StragglerOptions& options) {
  std::vector<Straggler> named;
  if (peers.size() < 2) return named;
  const std::size_t steps = peers.front().values.size();
  if (steps == 0 || steps < options.least_steps) return named;
  const std::vector<std::size_t> votes = count_votes(peers, scale, options);
  std::vector<double> good;
  for (const Candidate& peer : peers) good.push_back(good_step(peer.values));
  const double scale_of_good = scale.empty() ? lower_median(good) : good_step(scale);
  const Spread spread = spread_of(good, least_excess(options, scale_of_good));
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (good[i] <= spread.limit) continue;
    if (static_cast<double>(votes[i]) < options.votes * static_cast<double>(steps)) continue;
    named.push_back({.cause = cause,
                     .ranks = peers[i].ranks,
                     .seconds = good[i],
                     .usual = spread.usual,
                     .votes = votes[i],
                     .steps = steps});
  }
  return named;
}

// Compares groups by their time for as many bytes as the usual one moves, and names those of `alone`. A group
// with much more or fewer bytes than the usual one is left out: latency is another share of its time.
std::vector<Straggler> compare_rates(std::span<const GroupSteps* const> like,
                                     const std::set<const GroupSteps*>& alone,
                                     const StragglerOptions& options) {
  std::vector<double> bytes;
  for (const GroupSteps* group : like) bytes.push_back(group->bytes);
  const double usual = lower_median(bytes);
  Peers peers;
  std::vector<const GroupSteps*> compared;
  for (const GroupSteps* group : like) {
    if (!(group->bytes > 0) || group->bytes > 2 * usual || 2 * group->bytes < usual) continue;
    Candidate candidate{.ranks = group->members, .values = group->moving_seconds};
    for (double& seconds : candidate.values) seconds *= usual / group->bytes;
    peers.push_back(std::move(candidate));
    compared.push_back(group);
  }
  // Of two groups neither is the usual one.
  if (peers.size() < 3) return {};
  std::vector<Straggler> named = vote(SlowCause::wire, peers, {}, options);
  std::erase_if(named, [&](const Straggler& one) {
    return std::none_of(compared.begin(), compared.end(), [&](const GroupSteps* group) {
      return group->members == one.ranks && alone.contains(group);
    });
  });
  return named;
}

// Compares a group with its own past.
std::optional<Straggler> compare_with_past(const GroupSteps& group,
                                           const StragglerOptions& options) {
  const std::size_t steps = group.moving_seconds.size();
  if (group.before.size() < options.least_before || steps == 0 || steps < options.least_steps)
    return std::nullopt;
  const Spread spread = spread_of(group.before, least_excess(options, lower_median(group.before)));
  const auto votes = static_cast<std::size_t>(
      std::count_if(group.moving_seconds.begin(), group.moving_seconds.end(),
                    [&](double seconds) { return seconds > spread.limit; }));
  const double good = good_step(group.moving_seconds);
  if (good <= spread.limit ||
      static_cast<double>(votes) < options.votes * static_cast<double>(steps))
    return std::nullopt;
  return Straggler{.cause = SlowCause::wire,
                   .ranks = group.members,
                   .seconds = good,
                   .usual = spread.usual,
                   .votes = votes,
                   .steps = steps};
}

// Judges the groups that have no other one of their kind.
std::vector<Straggler> slow_wires_alone(const std::set<const GroupSteps*>& alone,
                                        std::span<const GroupSteps> groups,
                                        StragglerOptions options) {
  options.share = options.share_of_wire_alone;
  std::map<std::string_view, std::vector<const GroupSteps*>> likes;
  for (const GroupSteps& group : groups)
    if (!group.like.empty()) likes[group.like].push_back(&group);
  std::vector<Straggler> slow;
  for (const auto& [like, members] : likes) {
    auto named = compare_rates(members, alone, options);
    std::move(named.begin(), named.end(), std::back_inserter(slow));
  }
  for (const GroupSteps* group : alone) {
    const bool is_named = std::any_of(slow.begin(), slow.end(), [&](const Straggler& one) {
      return one.ranks == group->members;
    });
    if (is_named) continue;
    if (auto named = compare_with_past(*group, options)) slow.push_back(*std::move(named));
  }
  return slow;
}

// A slow wire slows all groups that use it. If several slow groups have exactly one rank in common,
// that rank is named instead of them.
std::vector<Straggler> join_groups(std::vector<Straggler> groups) {
  if (groups.size() < 2) return groups;
  std::vector<std::uint32_t> common = groups.front().ranks;
  for (const Straggler& group : groups) {
    std::vector<std::uint32_t> members = group.ranks, both;
    std::sort(members.begin(), members.end());
    std::sort(common.begin(), common.end());
    std::set_intersection(common.begin(), common.end(), members.begin(), members.end(),
                          std::back_inserter(both));
    common = std::move(both);
  }
  if (common.size() != 1) return groups;
  Straggler joined = groups.front();
  joined.ranks = common;
  joined.seconds = joined.usual = 0;
  for (const Straggler& group : groups) {
    joined.seconds += group.seconds;
    joined.usual += group.usual;
    joined.votes = std::min(joined.votes, group.votes);
  }
  return {joined};
}

std::vector<Straggler> slow_wires(std::span<const GroupSteps> groups,
                                  const StragglerOptions& options) {
  std::map<std::string_view, std::vector<const GroupSteps*>> kinds;
  for (const GroupSteps& group : groups) kinds[group.kind].push_back(&group);
  std::vector<Straggler> slow;
  std::set<const GroupSteps*> alone;
  for (const auto& [kind, members] : kinds) {
    if (members.size() == 1) alone.insert(members.front());
    Peers peers;
    for (const GroupSteps* group : members)
      peers.push_back({group->members, group->moving_seconds});
    auto named = vote(SlowCause::wire, peers, {}, options);
    std::move(named.begin(), named.end(), std::back_inserter(slow));
  }
  auto named = slow_wires_alone(alone, groups, options);
  std::move(named.begin(), named.end(), std::back_inserter(slow));
  return join_groups(std::move(slow));
}

}  // namespace

std::string_view to_string(SlowCause cause) noexcept {
  constexpr std::array<std::string_view, kSlowCauses> kNames{"compute", "input", "launch", "wire"};
  return kNames[static_cast<std::size_t>(cause)];
}

RankTimes rank_times(const RankStep& step) noexcept {
  return {.step = step.times.step,
          .compute = step.times.compute,
          .data_wait = step.times.data_wait,
          .late_transfers = step.late_transfers(),
          .needed = step.needed,
          .core_wait = step.core_wait};
}

std::vector<Straggler> find_stragglers(std::span<const RankSteps> ranks,
                                       std::span<const GroupSteps> groups,
                                       const StragglerOptions& options) {
  std::vector<Straggler> found = slow_wires(groups, options);
  std::map<std::string_view, std::vector<const RankSteps*>> works;
  for (const RankSteps& rank : ranks) works[rank.work].push_back(&rank);
  for (const auto& [work, members] : works) {
    std::vector<double> step_seconds;
    for (const RankTimes& step : members.front()->steps) step_seconds.push_back(step.step);
    const std::vector<Common> common = common_of(members);
    for (const SlowCause cause : {SlowCause::compute, SlowCause::input, SlowCause::launch}) {
      Peers peers;
      for (const RankSteps* rank : members) {
        Candidate candidate{.ranks = {rank->rank}, .values = {}};
        for (std::size_t s = 0; s < rank->steps.size(); ++s)
          candidate.values.push_back(value_of(rank->steps[s], cause, common[s]));
        peers.push_back(std::move(candidate));
      }
      const bool is_of_step = cause != SlowCause::compute;
      auto named = vote(
          cause, peers,
          is_of_step ? std::span<const double>(step_seconds) : std::span<const double>(), options);
      std::move(named.begin(), named.end(), std::back_inserter(found));
    }
  }
  if (!ranks.empty() && !ranks.front().steps.empty()) {
    std::vector<double> step_seconds;
    for (const RankTimes& step : ranks.front().steps) step_seconds.push_back(step.step);
    const double least = options.least_of_step * good_step(step_seconds);
    std::erase_if(found, [least](const Straggler& one) { return one.excess() < least; });
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Straggler& a, const Straggler& b) { return a.excess() > b.excess(); });
  return found;
}

std::string to_string(const Straggler& straggler) {
  const std::string who =
      straggler.ranks.size() == 1
          ? fmt::format("rank {}", straggler.ranks.front())
          : fmt::format("the group of ranks {}", fmt::join(straggler.ranks, ", "));
  const double more = straggler.usual > 0 ? 100 * straggler.excess() / straggler.usual : 0;
  const double ms = 1e3 * straggler.excess();
  switch (straggler.cause) {
    case SlowCause::compute:
      return fmt::format("{} computes {:.1f} % longer than the ranks with the same work", who,
                         more);
    case SlowCause::input:
      return fmt::format("{} waits {:.3g} ms a step longer for its batch", who, ms);
    case SlowCause::launch:
      return fmt::format("{} starts its transfers {:.3g} ms a step late", who, ms);
    case SlowCause::wire:
      return fmt::format("bytes of {} take {:.1f} % longer than usual", who, more);
  }
  return who;
}

}  // namespace megascale::observe
