// The tasks that took most of a step, in records written by hand.
#include "megascale/observe/worst_tasks.h"

#include <gtest/gtest.h>

#include "support/plan_writer.h"

namespace megascale::observe {
namespace {

using graph::Access;
using graph::Lane;
using testing::PlanWriter;

TEST(WorstTasksTest, ComputationAndTransfersThatItWaitedForByTime) {
  PlanWriter w;
  w.tables.axes[graph::Axis::data] = 2;
  const auto buffer = w.buffer("b", 64);
  const auto group = w.communicator("data", {0, 1}, Lane::data);
  const auto nothing = [](const auto&) -> const Error* { return nullptr; };
  const auto produce =
      w.work(Lane::compute, "produce", {w.whole(buffer, Access::write)}, {}, nothing);
  const auto sum = w.transfer(graph::all_reduce_op(), "sum", group,
                              {w.whole(buffer, Access::accumulate)}, {.after = {produce}});
  const auto use =
      w.work(Lane::compute, "use", {w.whole(buffer, Access::read)}, {.after = {sum}}, nothing);
  const plan::StepPlan plan(w.tables);
  // The sum starts at 100, its partner at 400, and it ends at 450; `use` waits from 100 on.
  std::vector<TaskRecord> records(3);
  records[produce] = {.head_ns = 0, .start_ns = 0, .matched_ns = 0, .done_ns = 100};
  records[sum] = {.head_ns = 0, .start_ns = 100, .matched_ns = 400, .done_ns = 450, .last_wait = 0};
  records[use] = {
      .head_ns = 100, .start_ns = 450, .matched_ns = 450, .done_ns = 470, .last_wait = 0};
  const auto worst = worst_tasks(plan, records, 3);
  ASSERT_EQ(worst.size(), 3U);
  EXPECT_EQ(worst[0].task, sum);
  EXPECT_EQ(worst[0].cause, TaskCause::bubble);
  EXPECT_DOUBLE_EQ(worst[0].seconds, 300e-9);
  EXPECT_EQ(worst[1].task, produce);
  EXPECT_EQ(worst[1].cause, TaskCause::compute);
  EXPECT_DOUBLE_EQ(worst[1].seconds, 100e-9);
  EXPECT_EQ(worst[2].task, sum);
  EXPECT_EQ(worst[2].cause, TaskCause::exposed_comm);
  EXPECT_DOUBLE_EQ(worst[2].seconds, 50e-9);
  EXPECT_EQ(worst_tasks(plan, records, 1).size(), 1U);
}

}  // namespace
}  // namespace megascale::observe
