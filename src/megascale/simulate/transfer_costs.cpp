#include "megascale/simulate/transfer_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace megascale::simulate {
namespace {

using plan::PlanOp;

// Returns the bytes of a transfer as nccl-tests count them: the larger of what a member gives and
// what it takes. That is one member's part times the group size where parts are gathered or
// scattered.
double transfer_bytes(const PlanOp& op) {
  double largest = 0;
  for (const plan::Operand& operand : op.operands) {
    if (operand.buffer == plan::kNoBuffer) continue;
    largest = std::max(largest, static_cast<double>(operand.nbytes));
  }
  return largest;
}

// One way to do it.
struct Route {
  double near_steps = 0, far_steps = 0;  // one after the other: inside a node, between nodes
  double moved = 0;                      // bytes, each way
};

struct Duration {
  double latency = 0, seconds = 0;
  [[nodiscard]] double total() const noexcept { return latency + seconds; }
};

Route ring_of(const TransferRule& rule, double nbytes, const Spread& spread) {
  const auto n = static_cast<double>(spread.members), nodes = static_cast<double>(spread.nodes);
  if (rule.point_to_point())
    return {.near_steps = nodes > 1 ? 0.0 : 1.0,
            .far_steps = nodes - 1 > 0 ? 1.0 : 0.0,
            .moved = nbytes};
  // Once around, every node is left once.
  const double far = nodes > 1 ? nodes - 1 : 0;
  const Route once{.near_steps = n - 1 - far, .far_steps = far, .moved = nbytes * (n - 1) / n};
  if (rule.has_root()) return {once.near_steps, once.far_steps, nbytes};
  if (!rule.sums_everything()) return once;
  return {2 * once.near_steps, 2 * once.far_steps, 2 * once.moved};
}

Route tree_of(double nbytes, const Spread& spread) {
  return {.near_steps = 2 * static_cast<double>(spread.on_my_node - 1),
          .far_steps = 2 * std::ceil(std::log2(static_cast<double>(spread.nodes))),
          .moved = 2 * nbytes};
}

// One thread of a rank moves its bytes: transfers share its links in both directions.
constexpr auto kNodeLinks = static_cast<LinkSet>(bit(Link::node_out) | bit(Link::node_in));

// Nothing where the kind was not measured. A send is as long as its receive.
std::optional<OpCost> fetching_cost(const PlanOp& op, std::size_t members, const Cluster& cluster) {
  const Cluster::Transfers& measured = cluster.transfers;
  const TransferRule& rule = *op.def->transfer;
  // The receiver moves the bytes of a pair: its rate is the measured one.
  const auto found = measured.gb_per_s.find(rule.takes ? rule.name : transfer_rules::recv.name);
  if (found == measured.gb_per_s.end()) return std::nullopt;
  OpCost cost{.latency_seconds = 1e-6 * measured.base_us};
  const double nbytes = bytes_fetched(op, members);
  if (nbytes == 0) return cost;
  cost.seconds = nbytes / (1e9 * found->second.at(nbytes));
  cost.links = kNodeLinks;
  // A processor of the host serves all threads of a rank.
  cost.processor_share =
      1.0 / static_cast<double>(std::max<std::int64_t>(cluster.kernels.threads, 1));
  return cost;
}

Spread spread_of(const plan::CommunicatorBinding& communicator, std::uint32_t rank,
                 const Cluster& cluster) {
  std::vector<std::int64_t> nodes;
  for (const std::uint32_t member : communicator.members)
    nodes.push_back(member / cluster.devices_per_node);
  std::sort(nodes.begin(), nodes.end());
  const auto mine = std::equal_range(nodes.begin(), nodes.end(), rank / cluster.devices_per_node);
  const auto on_my_node = static_cast<std::size_t>(mine.second - mine.first);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  Spread spread{
      .members = communicator.members.size(), .nodes = nodes.size(), .on_my_node = on_my_node};
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const auto left =
        std::find_if(cluster.tiers.rbegin(), cluster.tiers.rend(), [&](const Cluster::Tier& tier) {
          return nodes[i - 1] / tier.nodes != nodes[i] / tier.nodes;
        });
    if (left == cluster.tiers.rend()) continue;
    spread.tiers_us += left->hop_us / static_cast<double>(nodes.size() - 1);
    spread.tiers_rate_share = std::min(spread.tiers_rate_share, left->rate_share);
  }
  return spread;
}

}  // namespace

double bytes_fetched(const PlanOp& op, std::size_t members) {
  const TransferRule& rule = *op.def->transfer;
  const double nbytes = transfer_bytes(op), n = static_cast<double>(members);
  if (!rule.takes) return 0;
  const double copied = 2 * nbytes * (n - 1) / n;  // from the other members
  const double summed = nbytes * (1 + 1 / n);
  if (rule.sum) return rule.sums_everything() ? summed + copied : summed;
  const bool own_lies_there = rule.memory == TransferRule::Memory::own_block;
  return own_lies_there ? copied : 2 * nbytes;
}

std::vector<Spread> spreads_of(const plan::Binding& binding, const Cluster& cluster) {
  std::vector<Spread> spreads;
  for (const plan::CommunicatorBinding& communicator : binding.communicators)
    spreads.push_back(spread_of(communicator, binding.rank, cluster));
  return spreads;
}

OpCost transfer_cost(const PlanOp& op, const Spread& spread, const Cluster& cluster) {
  const bool network = spread.nodes > 1;
  if (!network) {
    if (const auto cost = fetching_cost(op, spread.members, cluster)) return *cost;
  }
  const Channel& channel = network ? cluster.network : cluster.node;
  const TransferRule& rule = *op.def->transfer;
  const bool point_to_point = rule.point_to_point();
  const LinkSet out = bit(network ? Link::network_out : Link::node_out);
  const LinkSet in = bit(network ? Link::network_in : Link::node_in);
  const double nbytes = transfer_bytes(op);

  const bool has_own = point_to_point && !channel.point_to_point_efficiency.points.empty();
  const Curve& reached = has_own ? channel.point_to_point_efficiency : channel.efficiency;
  double rate = 1e9 * channel.gb_per_s * reached.at(nbytes);
  if (network) rate *= spread.tiers_rate_share;
  if (network && !point_to_point) {
    const bool on_one_rail = spread.on_my_node == 1 && !cluster.rail_efficiency.points.empty();
    const Curve& of_nodes = on_one_rail ? cluster.rail_efficiency : cluster.spread_efficiency;
    rate *= of_nodes.at(static_cast<double>(spread.nodes));
    rate = std::min(rate * static_cast<double>(spread.on_my_node),
                    1e9 * cluster.node.gb_per_s * cluster.node.efficiency.at(nbytes));
  }
  std::vector<Route> routes{ring_of(rule, nbytes, spread)};
  if (network && rule.sums_everything()) routes.push_back(tree_of(nbytes, spread));
  Duration best{.latency = 0, .seconds = std::numeric_limits<double>::infinity()};
  for (const Route& route : routes) {
    for (std::size_t p = 0; p < channel.protocols.size(); ++p) {
      const Channel::Protocol& protocol = channel.protocols[p];
      // Inside a node the same protocol, where the node's channel has it.
      const Channel::Protocol& near =
          cluster.node.protocols[std::min(p, cluster.node.protocols.size() - 1)];
      const Duration duration{
          .latency =
              1e-6 * (protocol.base_us + route.far_steps * (protocol.hop_us + spread.tiers_us) +
                      route.near_steps * near.hop_us),
          .seconds = route.moved / (rate * protocol.rate_share)};
      if (duration.total() < best.total()) best = duration;
    }
  }
  return {.seconds = best.seconds,
          .latency_seconds = best.latency,
          .links = static_cast<LinkSet>((rule.gives ? out : 0) | (rule.takes ? in : 0)),
          // Copies between devices of a node are the copy engines' work.
          .processor_share = point_to_point && !network ? 0.0 : channel.processor_share};
}

}  // namespace megascale::simulate
