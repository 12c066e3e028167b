// Builds cost tables for plans. A job of 12,288 ranks has few distinct plans, so tables are shared:
// ranks with the same plan, and with communicators placed alike on nodes, get the same table.
#include "megascale/simulate/op_costs.h"

#include <map>

#include "megascale/simulate/compute_costs.h"
#include "megascale/simulate/transfer_costs.h"

namespace megascale::simulate {
namespace {

CostTable cost_table(const plan::StepPlan& plan, std::span<const Spread> spreads,
                     const Cluster& cluster) {
  auto costs = std::make_shared<std::vector<OpCost>>();
  for (const plan::PlanOp& op : plan.ops()) {
    if (op.def->transfer) {
      costs->push_back(transfer_cost(op, spreads[plan::index(op.communicator)], cluster));
    } else if (op.lane == graph::Lane::compute) {
      costs->push_back({.seconds = compute_seconds(op, cluster)});
    } else {
      costs->push_back({});  // the host does this work beside the device
    }
  }
  return costs;
}

}  // namespace

CostFunction costs_on(const Cluster& cluster) {
  // Ranks with the same plan and the same spreads of their communicators share one table.
  using Key = std::pair<const plan::StepPlan*, std::vector<Spread>>;
  const auto known = std::make_shared<std::map<Key, CostTable>>();
  return [cluster, known](const plan::VerifiedPlan& rank) {
    Key key{&rank.plan(), spreads_of(rank.binding(), cluster)};
    CostTable& table = (*known)[key];
    if (table == nullptr) table = cost_table(rank.plan(), key.second, cluster);
    return table;
  };
}

}  // namespace megascale::simulate
