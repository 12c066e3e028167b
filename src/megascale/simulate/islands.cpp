// Divides a job into islands with a union-find structure: ranks are joined if they share a group
// whose transfers stay inside a node, or a host's processors.
#include "megascale/simulate/islands.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace megascale::simulate {
namespace {

constexpr LinkSet kNetworkLinks = bit(Link::network_out) | bit(Link::network_in);
// With less lookahead than this, dividing a job costs more time than it saves. A nanosecond is
// below the latency of any link.
constexpr double kLeastLookaheadSeconds = 1e-9;

// The links that the transfers of a communicator use.
struct Use {
  bool any = false, network = false, other = false;
  // Shortest latency of its network transfers.
  double latency_seconds = std::numeric_limits<double>::infinity();
  void add(const Use& more) {
    any |= more.any;
    network |= more.network;
    other |= more.other;
    latency_seconds = std::min(latency_seconds, more.latency_seconds);
  }
};

std::vector<Use> uses_of(const JobRank& rank) {
  std::vector<Use> uses(rank.groups.size());
  for (std::size_t i = 0; i < rank.plan->ops().size(); ++i) {
    const plan::PlanOp& op = rank.plan->ops()[i];
    if (!op.def->transfer) continue;
    const OpCost& cost = (*rank.costs)[i];
    const bool network = cost.links != 0 && (cost.links & ~kNetworkLinks) == 0;
    Use use{.any = true, .network = network, .other = !network};
    if (network) use.latency_seconds = cost.latency_seconds;
    uses[plan::index(op.communicator)].add(use);
  }
  return uses;
}

// Returns the representative of the rank's set (the smallest rank in it), with path halving.
std::uint32_t find(std::vector<std::uint32_t>& first, std::uint32_t rank) {
  while (first[rank] != rank) rank = first[rank] = first[first[rank]];
  return rank;
}

Islands one_island(const Job& job) {
  Islands islands;
  islands.island_of.assign(job.ranks.size(), 0);
  islands.is_remote.assign(job.groups.size(), false);
  return islands;
}

}  // namespace

Islands find_islands(const Job& job) {
  // Uses by communicator, for each pair of plan and costs: most ranks share both.
  std::map<std::pair<const void*, const void*>, std::vector<Use>> known;
  std::vector<Use> use_of(job.groups.size());
  for (const JobRank& rank : job.ranks) {
    auto& uses = known[{rank.plan.get(), rank.costs.get()}];
    if (uses.empty()) uses = uses_of(rank);
    for (std::size_t c = 0; c < uses.size(); ++c) use_of[rank.groups[c]].add(uses[c]);
  }
  Islands islands = one_island(job);
  for (std::size_t g = 0; g < use_of.size(); ++g) {
    const Use& use = use_of[g];
    if (!use.network) continue;
    if (use.other || use.latency_seconds < kLeastLookaheadSeconds) return one_island(job);
    islands.is_remote[g] = true;
    islands.lookahead_seconds = std::min(islands.lookahead_seconds, use.latency_seconds);
  }

  std::vector<std::uint32_t> first(job.ranks.size());
  std::iota(first.begin(), first.end(), 0U);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax({find(first, a), find(first, b)});
    first[high] = low;
  };
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    if (!use_of[g].any || islands.is_remote[g]) continue;
    for (const std::uint32_t member : job.groups[g]) join(job.groups[g].front(), member);
  }
  std::map<std::uint32_t, std::uint32_t> on_host;  // host -> one of its ranks
  for (std::uint32_t r = 0; r < job.ranks.size(); ++r) {
    if (job.ranks[r].host != kOwnProcessor)
      join(on_host.emplace(job.ranks[r].host, r).first->second, r);
  }
  std::map<std::uint32_t, std::uint32_t> number;  // representative of the set -> island
  for (std::uint32_t r = 0; r < job.ranks.size(); ++r) {
    islands.island_of[r] =
        number.emplace(find(first, r), static_cast<std::uint32_t>(number.size())).first->second;
  }
  islands.count = static_cast<std::uint32_t>(number.size());
  return islands;
}

}  // namespace megascale::simulate
