#ifndef MEGASCALE_TESTS_SIMULATE_JOBS_H_
#define MEGASCALE_TESTS_SIMULATE_JOBS_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "megascale/simulate/event_engine.h"

namespace megascale::testing {

// What an op of a plan costs; the plan's ranks are alike.
using CostOfOp = std::function<simulate::OpCost(const plan::PlanOp&)>;

inline simulate::CostFunction costs_by_op(CostOfOp cost_of) {
  return [cost_of = std::move(cost_of)](const plan::VerifiedPlan& rank) {
    auto costs = std::make_shared<std::vector<simulate::OpCost>>();
    for (const plan::PlanOp& op : rank.plan().ops()) costs->push_back(cost_of(op));
    return costs;
  };
}

inline std::uint32_t itself(std::uint32_t rank) { return rank; }

// All ranks of the plans, which must be right.
inline simulate::Job job_of(std::vector<plan::RankPlan> ranks, const CostOfOp& cost_of) {
  const plan::Verification verification = plan::verify(std::move(ranks));
  EXPECT_TRUE(verification.ok()) << (verification.ok() ? ""
                                                       : verification.violations.front().message);
  return simulate::make_job(verification.plans, itself, costs_by_op(cost_of));
}

// Some cost that depends on what the op is, not on where it stands: uneven, with every resource.
// Tensor and context groups stay inside a node, all others go over the network.
inline simulate::OpCost uneven(const plan::PlanOp& op) {
  using simulate::Link;
  const std::size_t h = std::hash<std::string>{}(op.scope + op.path + std::string(op.def->name));
  const auto part = [&](unsigned shift) { return 1e-6 * static_cast<double>(h >> shift & 0xffU); };
  if (!op.def->transfer) return {.seconds = part(0)};
  const bool near = op.lane == graph::Lane::tensor || op.lane == graph::Lane::context;
  const auto links = near ? bit(Link::node_out) | bit(Link::node_in)
                          : bit(Link::network_out) | bit(Link::network_in);
  return {.seconds = part(8),
          .latency_seconds = 1e-6 + 0.1 * part(16),
          .links = static_cast<simulate::LinkSet>(links),
          .processor_share = near ? 0.15 : 0.02};
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SIMULATE_JOBS_H_
