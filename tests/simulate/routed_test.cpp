// A step whose sizes are born in it is simulated at the bounds that its plan states.
#include "megascale/simulate/transfer_costs.h"
#include "simulate/jobs.h"
#include "support/routed_plan.h"

namespace megascale::testing {
namespace {

TEST(RoutedSimulationTest, EveryTaskRunsAndTransfersCostTheirBound) {
  std::vector<plan::RankPlan> ranks;
  const auto writers = RoutedPlan::write();
  for (std::uint32_t r = 0; r < RoutedPlan::kRanks; ++r) ranks.push_back(writers[r].rank_plan(r));
  const plan::StepPlan& plan = *ranks[0].plan;
  std::size_t dispatch = 0;
  while (plan.op(plan.tasks()[dispatch]).path != "dispatch") ++dispatch;
  EXPECT_DOUBLE_EQ(simulate::bytes_fetched(plan.op(plan.tasks()[dispatch]), RoutedPlan::kRanks),
                   2.0 * RoutedPlan::kRanks * RoutedPlan::kTokens * RoutedPlan::kColumns * 4);
  const auto done =
      simulate::simulate(job_of(ranks, uneven), {.steps = 1, .recorded_ranks = {0, 1, 2}});
  for (const auto& records : done.records) {
    ASSERT_EQ(records.size(), plan.tasks().size());
    for (const TaskRecord& record : records) EXPECT_GE(record.done_ns, record.start_ns);
    EXPECT_GT(records[dispatch].done_ns, records[dispatch - 1].start_ns);
  }
}

}  // namespace
}  // namespace megascale::testing
