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
    Key key{&rank.plan(), spreads_of(rank.binding(), cluster)};
    CostTable& table = (*known)[key];
    if (table == nullptr) table = cost_table(rank.plan(), key.second, cluster);
    return table;
  };
}

}  // namespace megascale::simulate
