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
  // By step, how much longer the time may be: a thread was late for so long, or it had no core. Empty: 0.
  std::vector<double> doubts;
  // Returns the longest that the time of a step may be.
  [[nodiscard]] double most(std::size_t step) const {
    return values[step] + (doubts.empty() ? 0 : doubts[step]);
  }
};
using Peers = std::vector<Candidate>;

// Facts about one step of all ranks that are compared with each other.
struct Common {
  bool is_needed_known = true;                                        // of all of them
  double core_wait = 0, transfer_core_wait = 0, input_core_wait = 0;  // the medians
};

// The common of `ranks` in every step.
std::vector<Common> common_of(std::span<const RankSteps* const> ranks) {
  std::vector<Common> result(ranks.front()->steps.size());
  std::vector<double> values(ranks.size());
  const auto median = [&](std::size_t step, double RankTimes::*member) {
    for (std::size_t i = 0; i < ranks.size(); ++i) values[i] = ranks[i]->steps[step].*member;
    return lower_median(values);
  };
  for (std::size_t s = 0; s < result.size(); ++s) {
    for (const RankSteps* rank : ranks)
      result[s].is_needed_known = result[s].is_needed_known && rank->steps[s].needed > 0;
    result[s].core_wait = median(s, &RankTimes::core_wait);
    result[s].transfer_core_wait = median(s, &RankTimes::transfer_core_wait);
    result[s].input_core_wait = median(s, &RankTimes::input_core_wait);
  }
  return result;
}

// Adds a step in which something took so long. Up to `explained` of it may come from a wait for a core.
void add_time(double seconds, double explained, Candidate& candidate) {
  explained = std::clamp(explained, 0.0, seconds);
  candidate.values.push_back(seconds - explained);
  candidate.doubts.push_back(explained);
}

// Of the time for which a thread had no core, what it may need more afterwards, because other programs have
// used its caches; and of the time that it needs, the most that this can be. Beside compilers 6 to 8 % were measured. A
// rank that waits for cores for ten times as long as it works does not find its caches colder than one that waits
// as long as it works: they are cold after either wait.
constexpr double kColdCaches = 0.1, kMostColdCaches = 0.07;
double cold_caches(double needed, double core_wait) {
  return std::min(kColdCaches * core_wait, kMostColdCaches * needed);
}

void add_step(const RankTimes& step, SlowCause cause, const Common& common, Candidate& candidate) {
  switch (cause) {
    // On a busy machine the threads of all ranks wait for cores. Only what a rank waits longer than the others
    // can be why it is later than they.
    case SlowCause::compute:
      if (common.is_needed_known)
        return add_time(step.needed, cold_caches(step.needed, step.core_wait - common.core_wait),
                        candidate);
      return add_time(step.compute, kColdCaches * (step.core_wait - common.core_wait), candidate);
    case SlowCause::input:
      return add_time(step.data_wait, step.input_core_wait - common.input_core_wait, candidate);
    case SlowCause::launch:
      return add_time(step.late_transfers, step.transfer_core_wait - common.transfer_core_wait,
                      candidate);
    case SlowCause::wire:
      return;
  }
}

// The time of a good step: an eighth of the steps are shorter. 0 if there are none.
double good_step(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 8);
  std::nth_element(sorted.begin(), place, sorted.end());
  return *place;
}

double least_excess(const StragglerOptions& options, double scale) {
  return std::max(options.share * scale, options.least_seconds);
}

// The steps of a candidate.
struct Ballot {
  std::size_t votes = 0;
  std::vector<double> values;  // of the steps that count
  // Adds a step of the candidate. The limit lies between `lowest` and `highest`. A time above it is a vote. If a time
  // may be above it or not, the step does not count.
  void add(const Candidate& candidate, std::size_t step, double lowest, double highest) {
    const bool has_vote = candidate.values[step] > highest;
    if (!has_vote && candidate.most(step) > lowest) return;
    votes += has_vote ? 1 : 0;
    values.push_back(candidate.values[step]);
  }
  [[nodiscard]] bool is_enough(const StragglerOptions& options) const {
    // If only eight steps are free of doubt, six of them can stand out by chance. So the number of votes has a
    // minimum too, not only their share.
    return votes >= std::max<std::size_t>(options.least_steps, 1) &&
           static_cast<double>(votes) >= options.votes * static_cast<double>(values.size());
  }
};

// The limit of a step is the usual value and the least excess. `scale` by step: what the share of the least excess
// refers to; empty: the usual value of the step.
std::vector<Ballot> count_votes(const Peers& peers, std::span<const double> scale,
                                const StragglerOptions& options) {
  std::vector<Ballot> ballots(peers.size());
  std::vector<double> least(peers.size()), most(peers.size());
  const auto limit = [&](std::span<const double> values, std::size_t step) {
    const double usual = lower_median(values);
    return usual + least_excess(options, scale.empty() ? usual : scale[step]);
  };
  for (std::size_t s = 0; s < peers.front().values.size(); ++s) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
      least[i] = peers[i].values[s];
      most[i] = peers[i].most(s);
    }
    const double lowest = limit(least, s), highest = limit(most, s);
    for (std::size_t i = 0; i < peers.size(); ++i) ballots[i].add(peers[i], s, lowest, highest);
  }
  return ballots;
}

// The candidate with times as long as they may be.
Candidate without_doubts(const Candidate& candidate) {
  Candidate result{.ranks = candidate.ranks, .values = {}, .doubts = {}};
  for (std::size_t s = 0; s < candidate.values.size(); ++s)
    result.values.push_back(candidate.most(s));
  return result;
}

// Names the peers that stand out in enough steps, and in a good step.
std::vector<Straggler> vote(SlowCause cause, const Peers& peers, std::span<const double> scale,
                            const StragglerOptions& options) {
  std::vector<Straggler> named;
  if (peers.size() < 2) return named;
  const std::size_t steps = peers.front().values.size();
  if (steps == 0 || steps < options.least_steps) return named;
  const std::vector<Ballot> ballots = count_votes(peers, scale, options);
  std::vector<double> good;
  for (const Candidate& peer : peers) good.push_back(good_step(without_doubts(peer).values));
  const double scale_of_good = scale.empty() ? lower_median(good) : good_step(scale);
  const Spread spread = spread_of(good, least_excess(options, scale_of_good));
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const double seconds = good_step(ballots[i].values);
    if (seconds <= spread.limit || !ballots[i].is_enough(options)) continue;
    named.push_back({.cause = cause,
                     .ranks = peers[i].ranks,
                     .seconds = seconds,
                     .usual = spread.usual,
                     .votes = ballots[i].votes,
                     .steps = ballots[i].values.size()});
  }
  return named;
}

double core_wait_of(const GroupSteps& group, std::size_t step) {
  return group.core_waits.empty() ? 0 : group.core_waits[step];
}

// How much longer bytes may have moved because a member had no core for their transfers: as long as its wait
// exceeds the usual one, and at least a tenth of the wait. If threads wait ten times as long as bytes move, as four ranks
// on two busy cores do, chance decides how much of that falls into transfers, and no wire can be told.
double wait_in_transfers(double wait, double usual) { return std::max(wait - usual, 0.1 * wait); }

// The groups as candidates. Bytes move for longer if a member has no core for their transfer. `scales`: of the times of
// each group.
Peers wires_of(std::span<const GroupSteps* const> groups, std::span<const double> scales) {
  Peers peers;
  for (const GroupSteps* group : groups)
    peers.push_back({.ranks = group->members, .values = {}, .doubts = {}});
  std::vector<double> waits(groups.size());
  for (std::size_t s = 0; s < groups.front()->moving_seconds.size(); ++s) {
    for (std::size_t i = 0; i < groups.size(); ++i) waits[i] = core_wait_of(*groups[i], s);
    const double usual = lower_median(waits);
    for (std::size_t i = 0; i < groups.size(); ++i)
      add_time(scales[i] * groups[i]->moving_seconds[s],
               scales[i] * wait_in_transfers(waits[i], usual), peers[i]);
  }
  return peers;
}

// Compares groups by their time for as many bytes as the usual one moves, and names those of `alone`. A group
// with much more or fewer bytes than the usual one is left out: latency is another share of its time. Takes the named
// groups out of `alone`.
std::vector<Straggler> compare_rates(std::span<const GroupSteps* const> like,
                                     std::set<const GroupSteps*>& alone,
                                     const StragglerOptions& options) {
  std::vector<double> bytes;
  for (const GroupSteps* group : like) bytes.push_back(group->bytes);
  const double usual = lower_median(bytes);
  std::vector<double> scales;
  std::vector<const GroupSteps*> compared;
  for (const GroupSteps* group : like) {
    if (!(group->bytes > 0) || group->bytes > 2 * usual || 2 * group->bytes < usual) continue;
    scales.push_back(usual / group->bytes);
    compared.push_back(group);
  }
  // Of two groups neither is the usual one.
  if (compared.size() < 3) return {};
  std::vector<Straggler> named = vote(SlowCause::wire, wires_of(compared, scales), {}, options);
  std::erase_if(named, [&](const Straggler& one) {
    return std::none_of(compared.begin(), compared.end(), [&](const GroupSteps* group) {
      return group->members == one.ranks && alone.erase(group) > 0;
    });
  });
  return named;
}

// The time that three of four steps do not exceed.
double upper_quartile(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(3 * sorted.size() / 4);
  std::nth_element(sorted.begin(), place, sorted.end());
  return *place;
}

// Compares a group with its own past. Its good steps must be longer than three of four of the past: on a busy
// machine steps differ by more than a slow wire makes of them, but many steps together tell it.
std::optional<Straggler> compare_with_past(const GroupSteps& group,
                                           const StragglerOptions& options) {
  if (group.before.size() < options.least_before) return std::nullopt;
  // Waits for cores vary more than transfers: after the median, every second step would be in doubt.
  const double usual_wait =
      group.core_waits_before.empty() ? 0 : upper_quartile(group.core_waits_before);
  Candidate candidate;
  for (std::size_t s = 0; s < group.moving_seconds.size(); ++s)
    add_time(group.moving_seconds[s], wait_in_transfers(core_wait_of(group, s), usual_wait),
             candidate);
  const double usual = lower_median(group.before);
  const double limit = std::max(usual + least_excess(options, usual), upper_quartile(group.before));
  Ballot ballot;
  for (std::size_t s = 0; s < candidate.values.size(); ++s) ballot.add(candidate, s, limit, limit);
  const double good = good_step(ballot.values);
  if (good <= limit || !ballot.is_enough(options)) return std::nullopt;
  return Straggler{.cause = SlowCause::wire,
                   .ranks = group.members,
                   .seconds = good,
                   .usual = usual,
                   .votes = ballot.votes,
                   .steps = ballot.values.size()};
}

// Judges the groups that have no other one of their kind.
std::vector<Straggler> slow_wires_alone(std::set<const GroupSteps*> alone,
                                        std::span<const GroupSteps> groups,
                                        StragglerOptions options) {
  options.share = options.share_of_wire_alone;
  StragglerOptions past = options;
  past.share = options.share_of_own_past;
  std::map<std::string_view, std::vector<const GroupSteps*>> likes;
  for (const GroupSteps& group : groups)
    if (!group.like.empty()) likes[group.like].push_back(&group);
  std::vector<Straggler> slow;
  for (const auto& [like, members] : likes) {
    auto named = compare_rates(members, alone, options);
    std::move(named.begin(), named.end(), std::back_inserter(slow));
  }
  for (const GroupSteps* group : alone) {
    if (auto named = compare_with_past(*group, past)) slow.push_back(*std::move(named));
  }
  return slow;
}

// Makes one of the groups with the same members: their bytes take the same wires.
std::vector<Straggler> add_up(std::vector<Straggler> groups) {
  std::vector<Straggler> sums;
  for (Straggler& group : groups) {
    const auto same = std::find_if(sums.begin(), sums.end(),
                                   [&](const Straggler& one) { return one.ranks == group.ranks; });
    if (same == sums.end()) {
      sums.push_back(std::move(group));
      continue;
    }
    same->seconds += group.seconds;
    same->usual += group.usual;
    // Of the group that is easier to tell.
    if (group.votes * same->steps > same->votes * group.steps) {
      same->votes = group.votes;
      same->steps = group.steps;
    }
  }
  return sums;
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
    const std::vector<double> scales(members.size(), 1.0);
    auto named = vote(SlowCause::wire, wires_of(members, scales), {}, options);
    std::move(named.begin(), named.end(), std::back_inserter(slow));
  }
  auto named = slow_wires_alone(alone, groups, options);
  std::move(named.begin(), named.end(), std::back_inserter(slow));
  return join_groups(add_up(std::move(slow)));
}

// A rank that computes slowly also moves its bytes slowly: where cores serve transfers, its computation may hold up
// those that come and those that go. Removes the groups that lose less by their wires than twice what one of their
// members may lose by its computation.
void remove_wires_of_slow_ranks(std::span<const Straggler> slow, std::vector<Straggler>& found) {
  std::erase_if(found, [&](const Straggler& wire) {
    return wire.cause == SlowCause::wire &&
           std::any_of(slow.begin(), slow.end(), [&](const Straggler& rank) {
             return 2 * rank.excess() >= wire.excess() &&
                    std::find(wire.ranks.begin(), wire.ranks.end(), rank.ranks.front()) !=
                        wire.ranks.end();
           });
  });
}

// The time of each step as it would be if no other program had the cores of a rank: at most, since waits of several
// ranks may follow each other. The step as it was if a rank does not tell what it needs.
std::vector<double> undisturbed_steps(std::span<const RankSteps> ranks) {
  std::vector<double> result;
  for (std::size_t s = 0; s < ranks.front().steps.size(); ++s) {
    const double step = ranks.front().steps[s].step;
    double wait = 0, needed = 0;
    bool is_known = true;
    for (const RankSteps& rank : ranks) {
      const RankTimes& times = rank.steps[s];
      wait = std::max(wait, times.core_wait + times.transfer_core_wait);
      needed = std::max(needed, times.needed);
      is_known = is_known && times.needed > 0;
    }
    result.push_back(is_known ? std::min(step, std::max(step - wait, needed)) : step);
  }
  return result;
}

// Removes stragglers whose excess is a negligible share of a step. The excess of a computation is processor time, so it
// is compared with the step without the rank's waits for cores: beside other programs a step may take ten times as long
// as the rank works in it.
void remove_what_no_step_feels(std::span<const RankSteps> ranks, const StragglerOptions& options,
                               std::vector<Straggler>& found) {
  if (ranks.empty() || ranks.front().steps.empty()) return;
  std::vector<double> steps;
  for (const RankTimes& step : ranks.front().steps) steps.push_back(step.step);
  const double step = good_step(steps);
  const double least_computation = options.least_of_step * good_step(undisturbed_steps(ranks));
  std::erase_if(found, [&](const Straggler& one) {
    if (one.cause == SlowCause::compute) return one.excess() < least_computation;
    const bool is_wire = one.cause == SlowCause::wire;
    return one.excess() < (is_wire ? options.least_of_step_of_wire : options.least_of_step) * step;
  });
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
          .core_wait = step.core_wait,
          .transfer_core_wait = step.transfer_core_wait,
          .input_core_wait = step.input_core_wait};
}

std::vector<Straggler> find_stragglers(std::span<const RankSteps> ranks,
                                       std::span<const GroupSteps> groups,
                                       const StragglerOptions& options) {
  std::vector<Straggler> found = slow_wires(groups, options), maybe_slow;
  std::map<std::string_view, std::vector<const RankSteps*>> works;
  for (const RankSteps& rank : ranks) works[rank.work].push_back(&rank);
  for (const auto& [work, members] : works) {
    std::vector<double> step_seconds;
    for (const RankTimes& step : members.front()->steps) step_seconds.push_back(step.step);
    const std::vector<Common> common = common_of(members);
    for (const SlowCause cause : {SlowCause::compute, SlowCause::input, SlowCause::launch}) {
      Peers peers;
      for (const RankSteps* rank : members) {
        Candidate candidate{.ranks = {rank->rank}, .values = {}, .doubts = {}};
        for (std::size_t s = 0; s < rank->steps.size(); ++s)
          add_step(rank->steps[s], cause, common[s], candidate);
        peers.push_back(std::move(candidate));
      }
      const bool is_of_step = cause != SlowCause::compute;
      auto named = vote(
          cause, peers,
          is_of_step ? std::span<const double>(step_seconds) : std::span<const double>(), options);
      std::move(named.begin(), named.end(), std::back_inserter(found));
      if (cause != SlowCause::compute) continue;
      for (Candidate& peer : peers) peer = without_doubts(peer);
      auto maybe = vote(cause, peers, {}, options);
      std::move(maybe.begin(), maybe.end(), std::back_inserter(maybe_slow));
    }
  }
  remove_wires_of_slow_ranks(maybe_slow, found);
  remove_what_no_step_feels(ranks, options, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Straggler& a, const Straggler& b) { return a.excess() > b.excess(); });
  return found;
}

std::string to_string(const Straggler& straggler) {
  std::string who = straggler.ranks.size() == 1
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
