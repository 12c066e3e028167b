#ifndef MEGASCALE_TESTS_SIMULATE_LAYOUT_JOBS_H_
#define MEGASCALE_TESTS_SIMULATE_LAYOUT_JOBS_H_

#include "job/folding.h"
#include "simulate/jobs.h"

// Jobs of all ranks of a layout, and what makes one island of them.
namespace megascale::testing {

// Four micro-batches a step.
inline simulate::Job all_ranks(const Layout& layout, const CostOfOp& cost) {
  const job::JobPlan plans = plan_layout(layout, 4);
  const plan::Verification all = verify_unfolded(plans_by_rank(plans), plans.grid);
  EXPECT_TRUE(all.ok());
  return simulate::make_job(all.plans, itself, costs_by_op(cost));
}

// Where a host has processors to spare, transfers slow no rank down: here they never do.
inline simulate::OpCost without_processor_share(const plan::PlanOp& op) {
  simulate::OpCost cost = uneven(op);
  cost.processor_share = 0;
  return cost;
}

// A host with more processors than anyone wants ties all ranks together and changes no time of
// such a job.
inline void put_on_one_host(simulate::Job& job) {
  job.hosts = {{.count = 1e3}};
  for (simulate::JobRank& rank : job.ranks) rank.host = 0;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SIMULATE_LAYOUT_JOBS_H_
