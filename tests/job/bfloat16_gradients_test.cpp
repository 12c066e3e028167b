// Gradients that travel in bfloat16 (MegaScale-MoE, arXiv 2505.11432, fig. 11): half the bytes, and
// no more memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::job {
namespace {

JobPlan exchanging(bool in_bfloat16, const std::string& overlap) {
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

}  // namespace
}  // namespace megascale::job
