// A step whose sizes are born in it is simulated at the bounds that its plan states.
#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"
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

// Rows that travel to experts in 8 bits take less time on the links of a simulated cluster, too.
TEST(RoutedSimulationTest, RowsIn8BitsTakeHalfOfTheTimeOfBfloat16AndAQuarterOfFloat32) {
  simulate::Cluster cluster;  // rates that depend on no size
  cluster.node.gb_per_s = 100;
  cluster.node.efficiency.points = {{1, 1}};
  cluster.node.protocols = {{.base_us = 0, .hop_us = 0, .rate_share = 1}};
  const auto seconds = [&](const char* dtype, const char* dispatch, const char* pieces,
                           const char* in_8_bits) {
    const job::JobPlan job = job::plan_job(
        parse_config("", "test",
                     std::vector<std::string>{
                         "model.type=mixtral", "model.num_layers=2", "model.hidden_size=256",
                         "model.num_attention_heads=4", "model.ffn_hidden_size=16",
                         "model.seq_length=256", "moe.num_experts=8", "parallel.world_size=4",
                         "parallel.expert_model_parallel_size=4", "train.global_batch_size=8",
                         "train.threads_per_rank=1", std::string("model.dtype=") + dtype,
                         std::string("moe.token_dispatcher_type=") + dispatch,
                         std::string("overlap.expert_pieces=") + pieces,
                         std::string("moe.fp8_communication=") + in_8_bits}));
    double sum = 0;
    for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
      if (op.def->transfer != nullptr && op.lane == graph::Lane::expert)
        sum += simulate::transfer_cost(op, {.members = 4, .nodes = 1, .on_my_node = 4}, cluster)
                   .seconds;
    }
    return sum;
  };
  for (const char* dispatch : {"alltoall", "allgather"}) {
    for (const char* pieces : {"0", "2"}) {
      const auto share = [&](const char* dtype) {
        return seconds(dtype, dispatch, pieces, "true") / seconds(dtype, dispatch, pieces, "false");
      };
      EXPECT_NEAR(share("float32"), 0.26, 0.02) << dispatch << " " << pieces;
      EXPECT_NEAR(share("bfloat16"), 0.53, 0.03) << dispatch << " " << pieces;
    }
  }
}

}  // namespace
}  // namespace megascale::testing
