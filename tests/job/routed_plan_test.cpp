// Plans of models with routed experts: parameters, FLOPs and memory, and plans of models without
// experts, which no key of experts changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::job {
namespace {

std::vector<std::string> routed_settings(const std::vector<std::string>& more) {
  std::vector<std::string> all{
      "model.type=mixtral",          "model.num_layers=2",        "model.hidden_size=24",
      "model.num_attention_heads=4", "model.ffn_hidden_size=20",  "model.seq_length=16",
      "moe.num_experts=8",           "train.global_batch_size=8", "train.threads_per_rank=1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
JobPlan routed(const std::vector<std::string>& more = {}) {
  JobPlan job = plan_job(parse_config("", "test", routed_settings(more)));
  EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "");
  return job;
}

TEST(RoutedPlanTest, ATokenMeetsRouterTopkOfTheExperts) {
  const JobPlan job = routed();
  const std::int64_t of_experts = 2 * 8 * 3 * 24 * 20, routers = 2 * 8 * 24;
  const JobPlan dense = routed({"moe.num_experts=0"});
  EXPECT_EQ(job.parameter_count() - of_experts - routers,
            dense.parameter_count() - 2 * 3 * 24 * 20);
  EXPECT_EQ(job.active_parameter_count({.num_experts = 8, .router_topk = 2}),
            job.parameter_count() - of_experts * 6 / 8);
  EXPECT_EQ(dense.active_parameter_count({}), dense.parameter_count());
}

// FLOPs are those of the mean number of rows, so they depend on no layout; a model with one expert
// that every token meets has those of the dense one and of its router.
TEST(RoutedPlanTest, FlopsAreActiveFlopsInEveryLayout) {
  const double one = routed().flops().model;
  for (const char* expert_ranks : {"1", "2", "4"}) {
    const JobPlan job =
        routed({"parallel.world_size=4",
                std::string("parallel.expert_model_parallel_size=") + expert_ranks});
    EXPECT_DOUBLE_EQ(job.flops().model, one) << expert_ranks;
  }
  const double dense = routed({"moe.num_experts=0"}).flops().model,
               all = routed({"moe.num_experts=1", "moe.router_topk=1"}).flops().model;
  const double tokens = 8 * 16, router = 3 * 2 * tokens * 24 * 1 * 2;
  EXPECT_DOUBLE_EQ(all, dense + router);
}

TEST(RoutedPlanTest, MemoryIsPlacedForTheBound) {
  const auto total = [&](const char* bound) {
    return routed({"parallel.world_size=4", "parallel.expert_model_parallel_size=4",
                   std::string("moe.rows_bound=") + bound})
        .arena_nbytes();
  };
  EXPECT_LT(total("1"), total("2"));
  EXPECT_LT(total("2"), total("0"));
  EXPECT_EQ(total("4"), total("0"))
      << "4 is the worst case of 8 experts on 4 ranks and 2 of a token";
}

// Routing is kept, whatever is computed again.
TEST(RoutedPlanTest, RecomputationRepeatsCopiesAndTransfersButNoChoice) {
  const JobPlan job = routed({"parallel.world_size=2", "parallel.expert_model_parallel_size=2",
                              "recompute.granularity=full", "recompute.whole_layers=true"});
  int again = 0;
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    if (op.phase != graph::Phase::recompute) continue;
    EXPECT_TRUE(op.def != &graph::route_op() && op.def != &graph::dispatch_map_op() &&
                op.def != &graph::regroup_map_op())
        << op.path;
    if (op.def == &graph::all_to_all_v_op() || op.def == &graph::gather_rows_op()) ++again;
  }
  EXPECT_GT(again, 0);
}

TEST(RoutedPlanTest, KeysOfExpertsDoNotChangeTheDigestOfADensePlan) {
  const auto digest = [](const std::vector<std::string>& more) {
    return routed(more).stages[0].train.expansion.plan.digest();
  };
  EXPECT_EQ(digest({"moe.num_experts=0"}),
            digest({"moe.num_experts=0", "moe.router_topk=3", "moe.aux_loss_coeff=1"}));
}

}  // namespace
}  // namespace megascale::job
