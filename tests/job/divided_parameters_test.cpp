// Plans of ZeRO stage 3: what a rank keeps, what it sends, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/graph/ops/quantised_ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::job {
namespace {

constexpr std::uint64_t kRanks = 4, kMicroBatches = 3, kRuns = 11;

// The runs are the embedding, eight layers, the last norm and the head: with stage 3 that is the default.
JobPlan zero_job(int zero_stage, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{"model.type=llama",
                                    "model.num_layers=8",
                                    "model.hidden_size=64",
                                    "model.ffn_hidden_size=192",
                                    "model.num_attention_heads=4",
                                    "model.seq_length=16",
                                    "model.vocab_size=256",
                                    "parallel.world_size=4",
                                    "train.micro_batch_size=1",
                                    "train.global_batch_size=12",
                                    "train.threads_per_rank=1",
                                    "parallel.zero_stage=" + std::to_string(zero_stage)};
  settings.insert(settings.end(), more.begin(), more.end());
  JobPlan job = plan_job(parse_config("", "test", settings));
  EXPECT_TRUE(job.train_verification.ok());
  EXPECT_TRUE(job.evaluate_verification.ok());
  return job;
}

const plan::StepPlan& train_step(const JobPlan& job) { return job.stages[0].train.expansion.plan; }

std::uint64_t nbytes_of(const JobPlan& job, plan::Category category) {
  return job.stages[0].train.memory.by_category[static_cast<std::size_t>(category)];
}

// The names of the step's tasks of a kind of op on the lane of data parallelism, in order.
std::vector<std::string> data_tasks(const plan::StepPlan& step, const graph::OpDef& kind) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < step.tasks().size(); ++i) {
    const plan::PlanOp& op = step.op(step.tasks()[i]);
    if (op.def == &kind && op.lane == graph::Lane::data) names.push_back(step.task_name(i));
  }
  return names;
}

TEST(DividedParametersPlanTest, ARankKeepsItsShardsAndTwoRunsAtATime) {
  const JobPlan scattered = zero_job(2, {"parallel.data_parallel_buckets=11"}),
                divided = zero_job(3);
  for (const plan::Category category :
       {plan::Category::parameters, plan::Category::main_gradients}) {
    std::uint64_t all = 0;
    const plan::ModelState& state = divided.stages[0].state;
    ASSERT_EQ(state.buckets.size(), kRuns);
    std::array<std::uint64_t, 2> places{};
    for (const plan::FlatBucket& bucket : state.buckets) {
      EXPECT_TRUE(bucket.divided);
      const std::uint64_t nbytes = bucket.numel * sizeof(float);
      all += nbytes;
      places[bucket.run % 2] = std::max(places[bucket.run % 2], nbytes);
    }
    EXPECT_EQ(nbytes_of(scattered, category), all);
    EXPECT_EQ(nbytes_of(divided, category), all / kRanks + places[0] + places[1]);
    EXPECT_LT(nbytes_of(divided, category), all * 3 / 4);
  }
  EXPECT_EQ(nbytes_of(divided, plan::Category::optimizer_state),
            nbytes_of(scattered, plan::Category::optimizer_state));
}

// Goal: a recomputation that comes back to earlier runs gathers them again, under another name.
TEST(DividedParametersPlanTest, EveryTaskHasItsName) {
  for (const char* ops : {"linear,add", "linear", "rms_norm,swiglu"}) {
    const JobPlan job =
        zero_job(3, {"recompute.granularity=list", std::string("recompute.ops=") + ops});
    std::set<std::string> names;
    const plan::StepPlan& step = train_step(job);
    for (std::size_t i = 0; i < step.tasks().size(); ++i) names.insert(step.task_name(i));
    EXPECT_EQ(names.size(), step.tasks().size()) << ops;
  }
}

// Two runs are still there where a pass turns, and the backward does not read the embedding; every micro-batch
// reduces all gradients.
TEST(DividedParametersPlanTest, EveryMicroBatchGathersTwiceAndReducesOnce) {
  const JobPlan job = zero_job(3);
  const std::vector<std::string> gathers = data_tasks(train_step(job), graph::all_gather_op());
  EXPECT_EQ(gathers.size(), 1 + kMicroBatches * 2 * (kRuns - 2));
  EXPECT_EQ(std::set<std::string>(gathers.begin(), gathers.end()).size(), gathers.size());
  const auto reductions = data_tasks(train_step(job), graph::reduce_scatter_op());
  EXPECT_EQ(reductions.size(), kMicroBatches * kRuns);
  const JobPlan one_run = zero_job(3, {"parallel.data_parallel_buckets=1"});
  EXPECT_EQ(data_tasks(train_step(one_run), graph::all_gather_op()).size(), 1U);
  EXPECT_EQ(data_tasks(train_step(one_run), graph::reduce_scatter_op()).size(), kMicroBatches);
}

// Goal: the parameters of a run travel while the run before is computed, so that no computation waits for
// them that had no time to arrive.
TEST(DividedParametersPlanTest, TheNextRunIsGatheredWhileThisOneComputes) {
  const JobPlan job = zero_job(3);
  const plan::StepPlan& step = train_step(job);
  // Returns the number of the first task that reads or writes a buffer.
  const auto first = [&](plan::BufferId buffer, graph::Access access) {
    const auto uses = [&](const plan::Task& task) {
      const auto& operands = step.op(task).operands;
      return std::any_of(operands.begin(), operands.end(), [&](const plan::Operand& operand) {
        return operand.buffer == buffer && operand.access == access;
      });
    };
    return std::find_if(step.tasks().begin(), step.tasks().end(), uses) - step.tasks().begin();
  };
  std::vector<plan::BufferId> whole;  // parameters, by run
  for (std::uint32_t b = 0; b < step.buffers().size(); ++b) {
    if (step.buffers()[b].name.starts_with("whole_parameters/bucket"))
      whole.push_back(plan::BufferId{b});
  }
  ASSERT_EQ(whole.size(), kRuns);
  std::sort(whole.begin(), whole.end(), [&](plan::BufferId a, plan::BufferId b) {
    const std::string &x = step.buffer(a).name, &y = step.buffer(b).name;
    return std::pair(x.size(), x) < std::pair(y.size(), y);  // bucket 10 behind bucket 9
  });
  for (std::uint64_t run = 1; run < kRuns; ++run) {
    const auto gathered = first(whole[run], graph::Access::write);
    ASSERT_LT(gathered, step.tasks().size());
    EXPECT_LT(gathered, first(whole[run - 1], graph::Access::read)) << run;
  }
}

TEST(DividedParametersPlanTest, GradientsInBfloat16SendHalfOfTheBytesFromTheSameMemory) {
  const JobPlan plain = zero_job(3),
                rounded = zero_job(3, {"parallel.reduce_scatter_with_fp32_accumulation=true"});
  EXPECT_EQ(rounded.arena_nbytes(), plain.arena_nbytes());
  const auto exchanges = data_tasks(train_step(rounded), graph::all_to_all_op());
  EXPECT_EQ(exchanges.size(), kMicroBatches * kRuns);
  EXPECT_TRUE(data_tasks(train_step(rounded), graph::reduce_scatter_op()).empty());
  std::size_t compared = 0;
  for (const plan::PlanOp& op : train_step(rounded).ops()) {
    if (op.def != &graph::all_to_all_op()) continue;
    const std::string bucket = op.path.substr(op.path.rfind('/'));
    for (const plan::PlanOp& other : train_step(plain).ops()) {
      if (other.def != &graph::reduce_scatter_op() || !other.path.ends_with(bucket)) continue;
      ++compared;
      EXPECT_EQ(2 * op.operands[graph::collective::send].nbytes,
                other.operands[graph::collective::send].nbytes);
    }
  }
  // Those of the first micro-batch and those of the others are two ops.
  EXPECT_EQ(compared, 2 * kRuns);
}

// Goal: 8-bit codes of weights do not stay for the step. The forward and the backward of each micro-batch round
// the weights.
TEST(DividedParametersPlanTest, CodesOfWeightsAreNotKept) {
  const std::vector<std::string> in_8_bits{"model.dtype=bfloat16", "model.fp8=hybrid",
                                           "train.device=cuda"};
  const JobPlan scattered = zero_job(2, in_8_bits), divided = zero_job(3, in_8_bits);
  EXPECT_GT(nbytes_of(scattered, plan::Category::caches), 0U);
  EXPECT_EQ(nbytes_of(divided, plan::Category::caches), 0U);
  const auto roundings = [](const JobPlan& job) {
    const plan::StepPlan& step = train_step(job);
    std::size_t count = 0;
    for (const plan::Task& task : step.tasks()) {
      const plan::PlanOp& op = step.op(task);
      if (op.def != &graph::quantise_op() && op.def != &graph::quantise_weight_op()) continue;
      const auto& tensor = op.tensors[graph::quantise::input];
      count += tensor && tensor->role == graph::Role::parameter;
    }
    return count;
  };
  EXPECT_EQ(roundings(divided), 2 * kMicroBatches * roundings(scattered));
}

// Weight gradients that run apart are reduced by themselves: another micro-batch may come between.
TEST(DividedParametersPlanTest, WeightGradientsApartHaveBucketsOfTheirOwn) {
  const std::vector<std::string> stages{"parallel.pipeline_model_parallel_size=2",
                                        "parallel.pipeline_schedule=zb-h1"};
  const JobPlan job = zero_job(3, stages), scattered = zero_job(2, stages);
  EXPECT_GT(job.stages[0].state.buckets.size(), scattered.stages[0].state.buckets.size());
}

// The model reads the embedding at its begin and, as a tied head, at its end.
TEST(DividedParametersPlanTest, WhatIsUsedTwiceStaysWhole) {
  const JobPlan tied = zero_job(3, {"model.untie_embeddings_and_output_weights=false"});
  std::size_t whole = 0;
  for (const plan::ParameterPlace& place : tied.stages[0].state.parameters) {
    const plan::FlatBucket& bucket = tied.stages[0].state.buckets[place.bucket];
    if (bucket.divided) continue;
    ++whole;
    EXPECT_GT(place.parameter.main_gradients.size(), 1U) << place.parameter.name;
    EXPECT_EQ(bucket.shards, kRanks);
  }
  EXPECT_EQ(whole, 1U);
}

// Nothing updates frozen weights, but they are most of the memory of a model with adapters.
TEST(DividedParametersPlanTest, FrozenWeightsAreDivided) {
  const std::vector<std::string> adapters{"lora.rank=2", "lora.targets=linear_qkv,linear_proj"};
  const JobPlan scattered = zero_job(2, adapters), divided = zero_job(3, adapters);
  std::uint64_t frozen = 0;
  for (const plan::FlatBucket& bucket : divided.stages[0].state.buckets) {
    if (bucket.is_trained()) continue;
    ++frozen;
    EXPECT_TRUE(bucket.divided);
    EXPECT_EQ(bucket.gradients, plan::kNoBuffer);
  }
  EXPECT_GT(frozen, 0U);
  EXPECT_LT(nbytes_of(divided, plan::Category::parameters),
            nbytes_of(scattered, plan::Category::parameters) * 4 / 5);
}

}  // namespace
}  // namespace megascale::job
