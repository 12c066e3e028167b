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

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SIMULATE_JOBS_H_
