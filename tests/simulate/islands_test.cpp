// A job that is cut into islands, on however many threads, takes what it takes in one piece.
#include "megascale/simulate/islands.h"

#include "engine/layouts.h"
#include "simulate/jobs.h"

namespace megascale::testing {
namespace {

using simulate::OpCost;

// Where a host has processors to spare, transfers slow no rank down: here they never do.
OpCost without_processor_share(const plan::PlanOp& op) {
  OpCost cost = uneven(op);
  cost.processor_share = 0;
  return cost;
}

simulate::Job all_ranks(const Layout& layout, const CostOfOp& cost) {
  const engine::JobPlan plans = plan_layout(layout, 4);
  const plan::Verification all = verify_unfolded(plans_by_rank(plans), plans.grid);
  EXPECT_TRUE(all.ok());
  return simulate::make_job(all.plans, itself, costs_by_op(cost));
}

TEST(IslandsTest, TensorGroupsAreIslands) {
  const simulate::Job job = all_ranks({.tensor = 2, .data = 3, .zero_stage = 1}, uneven);
  const simulate::Islands islands = simulate::find_islands(job);
  EXPECT_EQ(islands.count, 3U);
  EXPECT_EQ(islands.island_of, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_GE(islands.lookahead_seconds, 1e-6);
}

TEST(IslandsTest, ANetworkWithoutLatencyMakesOneIsland) {
  const auto instant = [](const plan::PlanOp& op) {
    OpCost cost = uneven(op);
    cost.latency_seconds = 0;
    return cost;
  };
  const simulate::Job job = all_ranks({.tensor = 2, .data = 3}, instant);
  EXPECT_EQ(simulate::find_islands(job).count, 1U);
}

TEST(IslandsTest, TimesAreThoseOfOnePieceOnAnyNumberOfThreads) {
  for (const Layout& layout :
       {Layout{.tensor = 2, .data = 2, .pipeline = 2, .zero_stage = 2, .pieces = 2},
        Layout{.data = 16, .pipeline = 2}}) {
    SCOPED_TRACE(name(layout));
    simulate::Job job = all_ranks(layout, without_processor_share);
    ASSERT_GT(simulate::find_islands(job).count, 3U);
    const simulate::SimulationOptions options{.steps = 3, .recorded_ranks = {0, 7}};
    simulate::SimulationOptions two_threads = options;
    two_threads.threads = 2;
    const simulate::Simulation cut = simulate::simulate(job, options);
    const simulate::Simulation threads = simulate::simulate(job, two_threads);
    // A host with more processors than anyone wants ties all ranks together and changes no time.
    job.hosts = {{.count = 1e3}};
    for (simulate::JobRank& rank : job.ranks) rank.host = 0;
    ASSERT_EQ(simulate::find_islands(job).count, 1U);
    const simulate::Simulation whole = simulate::simulate(job, options);
    for (const simulate::Simulation* other : {&threads, &whole}) {
      EXPECT_EQ(other->step_ends, cut.step_ends);
      EXPECT_EQ(other->tasks, cut.tasks);
      for (std::size_t r = 0; r < 2; ++r) {
        for (std::size_t id = 0; id < cut.records[r].size(); ++id) {
          const TaskRecord &a = cut.records[r][id], &b = other->records[r][id];
          ASSERT_EQ(a.head_ns, b.head_ns) << id;
          ASSERT_EQ(a.start_ns, b.start_ns) << id;
          ASSERT_EQ(a.matched_ns, b.matched_ns) << id;
          ASSERT_EQ(a.done_ns, b.done_ns) << id;
        }
      }
    }
  }
}

}  // namespace
}  // namespace megascale::testing
