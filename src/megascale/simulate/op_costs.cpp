// Builds cost tables for plans. A job of 12,288 ranks has few distinct plans, so tables are shared:
// ranks with the same plan, and with communicators placed alike on nodes, get the same table.
#include "megascale/simulate/op_costs.h"

#include <map>
#include <tuple>
#include <utility>

#include "megascale/simulate/compute_costs.h"
#include "megascale/simulate/transfer_costs.h"

namespace megascale::simulate {
namespace {

CostTable cost_table(const plan::VerifiedPlan& rank, std::span<const Spread> spreads,
                     const Cluster& cluster, const ExpertLoads& loads) {
  const plan::StepPlan& plan = rank.plan();
  auto costs = std::make_shared<std::vector<OpCost>>();
  for (const plan::PlanOp& planned : plan.ops()) {
    const plan::PlanOp op = with_load(planned, loads, plan.axes(), rank.binding().coordinates);
    if (op.def->transfer) {
      costs->push_back(transfer_cost(op, spreads[plan::index(op.communicator)], cluster));
    } else if (op.lane == graph::Lane::compute) {
      costs->push_back(
          {.seconds = compute_seconds(op, cluster), .tiles = product_rounds(op, cluster)});
    } else {
      costs->push_back({});  // the host does this work beside the device
    }
  }
  return costs;
}

}  // namespace

CostFunction costs_on(const Cluster& cluster, ExpertLoads loads) {
  // Ranks with the same plan, the same experts and the same spreads of their communicators share one
  // table. Without loads all experts are alike.
  using Key = std::tuple<const plan::StepPlan*, std::uint32_t, std::vector<Spread>>;
  const auto known = std::make_shared<std::map<Key, CostTable>>();
  return [cluster, known, loads = std::move(loads)](const plan::VerifiedPlan& rank) {
    const std::uint32_t experts =
        loads.are_even()
            ? 0
            : rank.binding().coordinates[static_cast<std::size_t>(graph::Axis::expert)];
    const Key key{&rank.plan(), experts, spreads_of(rank.binding(), cluster)};
    CostTable& table = (*known)[key];
    if (table == nullptr) table = cost_table(rank, std::get<2>(key), cluster, loads);
    return table;
  };
}

}  // namespace megascale::simulate
