// Gradients that travel in bfloat16 (MegaScale-MoE, arXiv 2505.11432, fig. 11): half the bytes, and
// no more memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::job {
namespace {

JobPlan exchanging(bool in_bfloat16, const std::string& overlap, const std::string& stages = "1") {
  const std::vector<std::string> settings{
      "model.type=llama",
      "model.num_layers=2",
      "model.hidden_size=24",
      "model.num_attention_heads=4",
      "model.seq_length=16",
      "parallel.world_size=4",
      "parallel.zero_stage=2",
      "train.global_batch_size=8",
      "train.threads_per_rank=1",
      "overlap.data=" + overlap,
      "parallel.pipeline_model_parallel_size=" + stages,
      std::string("parallel.reduce_scatter_with_fp32_accumulation=") +
          (in_bfloat16 ? "true" : "false")};
  JobPlan job = plan_job(parse_config("", "test", settings));
  EXPECT_TRUE(job.train_verification.ok());
  return job;
}

// Returns the bytes that a step gives to a kind of transfer on the lane of data parallelism.
std::uint64_t sent(const JobPlan& job, const graph::OpDef& kind) {
  std::uint64_t all = 0;
  for (const plan::PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
    if (op.def == &kind && op.lane == graph::Lane::data)
      all += op.operands[graph::collective::send].nbytes;
  }
  return all;
}

TEST(Bfloat16GradientsPlanTest, HalfOfTheBytesAreSentFromTheSameMemory) {
  for (const char* overlap : {"true", "false"}) {
    const JobPlan plain = exchanging(false, overlap), rounded = exchanging(true, overlap);
    EXPECT_EQ(rounded.arena_nbytes(), plain.arena_nbytes());
    EXPECT_GT(sent(plain, graph::reduce_scatter_op()), 0U);
    EXPECT_EQ(2 * sent(rounded, graph::all_to_all_op()), sent(plain, graph::reduce_scatter_op()));
    EXPECT_EQ(sent(rounded, graph::reduce_scatter_op()), 0U);
  }
}

// Packing in the last backward of a stage delays all stages before it.
TEST(Bfloat16GradientsPlanTest, InAPipelineTheLastBackwardDoesNotPack) {
  for (const char* stages : {"1", "2"}) {
    const JobPlan job = exchanging(true, "true", stages);
    for (const StagePlan& stage : job.stages) {
      const plan::StepPlan& step = stage.train.expansion.plan;
      std::size_t first_pack = step.tasks().size(), last_backward = 0;
      for (std::size_t i = 0; i < step.tasks().size(); ++i) {
        const plan::PlanOp& op = step.op(step.tasks()[i]);
        if (op.lane != graph::Lane::compute) continue;
        if (op.def == &graph::pack_bfloat16_op()) first_pack = std::min(first_pack, i);
        if (op.phase == graph::Phase::backward) last_backward = i;
      }
      ASSERT_LT(first_pack, step.tasks().size());
      EXPECT_EQ(first_pack > last_backward, job.stages.size() > 1);
    }
  }
}

}  // namespace
}  // namespace megascale::job
