#include "megascale/simulate/op_costs.h"

#include <algorithm>
#include <map>

namespace megascale::simulate {
namespace {

using graph::Access;
using plan::PlanOp;

// Bytes that an op reads and writes: what it accumulates into counts both ways.
double bytes_touched(const PlanOp& op) {
  double nbytes = 0;
  for (const plan::Operand& operand : op.operands) {
    if (operand.buffer == plan::kNoBuffer) continue;
    const bool both =
        operand.access == Access::accumulate || operand.access == Access::first_writes;
    nbytes += (both ? 2.0 : 1.0) * static_cast<double>(operand.nbytes);
  }
  return nbytes;
}

bool is_float32(const PlanOp& op) {
  for (const auto& tensor : op.tensors) {
    if (tensor && tensor->dtype == DType::bfloat16) return false;
  }
  return true;
}

double compute_seconds(const PlanOp& op, const Cluster::Device& device) {
  const double nbytes = bytes_touched(op);
  const double by_bytes =
      nbytes == 0 ? 0.0
                  : nbytes / (1e9 * device.memory_gb_per_s * device.memory_efficiency.at(nbytes));
  const double peak = 1e12 * (is_float32(op) ? device.float32_tflops : device.bfloat16_tflops);
  double by_flops = 0;
  if (op.def->gemm) {
    by_flops = op.cost.flops / (peak * device.gemm_efficiency.at(op.cost.flops));
  } else if (op.def->name.starts_with("attention")) {
    by_flops = op.cost.flops / (peak * device.attention_efficiency);
  }
  return std::max(by_bytes, by_flops) + 1e-6 * device.launch_us;
}

// The bytes of a collective as nccl-tests count them: of all its ranks together. Those of a send or
// receive: its own.
double transfer_bytes(const PlanOp& op, bool is_all_to_all) {
  double largest = 0, sum = 0;
  for (const plan::Operand& operand : op.operands) {
    if (operand.buffer == plan::kNoBuffer) continue;
    largest = std::max(largest, static_cast<double>(operand.nbytes));
    sum += operand.access == Access::read ? static_cast<double>(operand.nbytes) : 0.0;
  }
  return is_all_to_all ? sum : largest;
}

// Where the members of a communicator stand.
struct Spread {
  std::size_t members = 1, nodes = 1, on_my_node = 1;
  friend auto operator<=>(const Spread&, const Spread&) = default;
};
Spread spread_of(const plan::CommunicatorBinding& communicator, std::uint32_t rank,
                 std::int64_t devices_per_node) {
  std::map<std::int64_t, std::size_t> by_node;
  for (const std::uint32_t member : communicator.members) ++by_node[member / devices_per_node];
  return {communicator.members.size(), by_node.size(), by_node[rank / devices_per_node]};
}

OpCost transfer_cost(const PlanOp& op, const Spread& spread, const Cluster& cluster) {
  const bool network = spread.nodes > 1;
  const Channel& channel = network ? cluster.network : cluster.node;
  const auto n = static_cast<double>(spread.members);
  const std::string_view kind = op.def->name;
  const bool sends = kind == "send", receives = kind == "recv";
  const LinkSet out = bit(network ? Link::network_out : Link::node_out);
  const LinkSet in = bit(network ? Link::network_in : Link::node_in);
  const double nbytes = transfer_bytes(op, kind == "all_to_all");

  OpCost cost{.links = static_cast<LinkSet>(sends      ? out
                                            : receives ? in
                                                       : out | in),
              .processor_share = channel.processor_share};
  double steps = n - 1, moved = nbytes * (n - 1) / n;
  if (sends || receives || kind == "shift") {
    steps = 1;
    moved = nbytes;
  } else if (kind == "all_reduce") {
    steps *= 2;
    moved *= 2;
  } else if (kind == "broadcast") {
    moved = nbytes;
  }
  double rate = 1e9 * channel.gb_per_s * channel.efficiency;
  if (network && !sends && !receives) {
    rate = std::min(rate * static_cast<double>(spread.on_my_node),
                    1e9 * cluster.node.gb_per_s * cluster.node.efficiency);
  }
  cost.latency_seconds = 1e-6 * (channel.base_latency_us + steps * channel.hop_latency_us);
  cost.seconds = moved / rate;
  return cost;
}

CostTable cost_table(const plan::StepPlan& plan, std::span<const Spread> spreads,
                     const Cluster& cluster) {
  auto costs = std::make_shared<std::vector<OpCost>>();
  for (const PlanOp& op : plan.ops()) {
    if (op.def->collective) {
      costs->push_back(transfer_cost(op, spreads[plan::index(op.communicator)], cluster));
    } else if (op.lane == graph::Lane::compute) {
      costs->push_back({.seconds = compute_seconds(op, cluster.device)});
    } else {
      costs->push_back({});  // host copies and step numbers: beside the device's work
    }
  }
  return costs;
}

}  // namespace

CostFunction costs_on(const Cluster& cluster) {
  // Ranks with one plan, whose groups stand on nodes alike, share their costs.
  using Key = std::pair<const plan::StepPlan*, std::vector<Spread>>;
  const auto known = std::make_shared<std::map<Key, CostTable>>();
  return [cluster, known](const plan::VerifiedPlan& rank) {
    Key key{&rank.plan(), {}};
    for (const plan::CommunicatorBinding& communicator : rank.binding().communicators)
      key.second.push_back(spread_of(communicator, rank.binding().rank, cluster.devices_per_node));
    CostTable& table = (*known)[key];
    if (table == nullptr) table = cost_table(rank.plan(), key.second, cluster);
    return table;
  };
}

}  // namespace megascale::simulate
