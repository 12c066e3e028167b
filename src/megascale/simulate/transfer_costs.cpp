// Prices transfers. Kinds that were measured on a host cost their bytes over a measured rate. All
// others follow NCCL: latency is a base plus a time per step of a ring or tree, and bytes flow at a
// share of the link's rate. Small transfers choose a protocol with little latency, large ones a
// protocol with the full rate.
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
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i].buffer == plan::kNoBuffer) continue;
    largest = std::max(largest, plan::expected_nbytes(op, i));
  }
  return largest;
}

// One algorithm for a transfer.
struct Route {
  // Steps that follow one another: inside a node, and between nodes.
  double near_steps = 0, far_steps = 0;
  double moved = 0;  // bytes that pass a link of this member, in each direction
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
  // A ring leaves every node exactly once.
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

// Returns the share of the channel's rate that transfers of this kind reach.
const Curve& efficiency_of(const TransferRule& rule, const Channel& channel) {
  const auto own_or_common = [&](const Curve& own) -> const Curve& {
    return own.points.empty() ? channel.efficiency : own;
  };
  if (rule.point_to_point()) return own_or_common(channel.point_to_point_efficiency);
  if (rule.exchanges_blocks()) return own_or_common(channel.all_to_all_efficiency);
  return channel.efficiency;
}

// A fused kernel leaves at least a tenth of the multiprocessors to its product.
constexpr double kMostFusedShare = 0.9;

// A rank moves the bytes of all its measured transfers with one thread. Loading both directions of
// its links makes these transfers share that thread.
constexpr auto kNodeLinks = static_cast<LinkSet>(bit(Link::node_out) | bit(Link::node_in));

// Returns the cost by a measured rate; nothing if the kind was not measured. A send takes as long
// as its receive.
std::optional<OpCost> fetching_cost(const PlanOp& op, std::size_t members, const Cluster& cluster) {
  const Cluster::Transfers& measured = cluster.transfers;
  const TransferRule& rule = *op.def->transfer;
  // The receiver moves the bytes of a send, so the rate of `recv` counts for both.
  const auto found = measured.gb_per_s.find(rule.takes ? rule.name : transfer_rules::recv.name);
  if (found == measured.gb_per_s.end()) return std::nullopt;
  OpCost cost{.latency_seconds = 1e-6 * measured.base_us};
  const double nbytes = bytes_fetched(op, members);
  if (nbytes == 0) return cost;
  cost.seconds = nbytes / (1e9 * found->second.at(nbytes));
  cost.links = kNodeLinks;
  // A processor of the host serves all threads of a rank, and a transfer keeps one of them busy.
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
  // Blocks copied from the other members: each byte is read and written.
  const double copied = 2 * nbytes * (n - 1) / n;
  // A sum reads a block of every member and writes one block.
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

  const Curve& reached = efficiency_of(rule, channel);
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
      // The steps inside a node use the same protocol, if the node's channel has it.
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
  OpCost cost{.seconds = best.seconds,
              .latency_seconds = best.latency,
              .links = static_cast<LinkSet>((rule.gives ? out : 0) | (rule.takes ? in : 0)),
              // Inside a node, copies from device to device are done by copy engines, not by the
              // processor.
              .processor_share = point_to_point && !network ? 0.0 : channel.processor_share};
  const auto fused = cluster.fused.multiprocessors.find(op.def->name);
  const bool shares_host = cluster.host.processors > 0;
  if (op.pair == 0 || network || shares_host || fused == cluster.fused.multiprocessors.end())
    return cost;
  cost.is_fused = true;
  cost.tiles = static_cast<double>(spread.members);
  cost.processor_share = std::min(kMostFusedShare, fused->second / cluster.device.multiprocessors);
  return cost;
}

}  // namespace megascale::simulate
