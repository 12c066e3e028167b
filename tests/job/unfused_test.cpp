// Plans with op kinds that have no kernel (attention and norms without fusion): sized, proven and
// simulated, never executed.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/config/load.h"
#include "megascale/engine/prepare.h"
#include "megascale/job/job_plan.h"
#include "megascale/job/kernel_spec.h"
#include "megascale/plan/flops.h"

namespace megascale {
namespace {

using Settings = std::vector<std::string>;

// Four layers of 32 on four tensor ranks, with all that the published baselines have.
Config baseline(Settings more) {
  Settings settings{"model.num_layers=4",
                    "model.hidden_size=32",
                    "model.num_attention_heads=4",
                    "model.seq_length=16",
                    "model.hidden_dropout=0.1",
                    "model.attention_dropout=0.1",
                    "kernels.flash_attention=false",
                    "kernels.fused_norm=false",
                    "parallel.tensor_model_parallel_size=4",
                    "train.global_batch_size=4",
                    "train.threads_per_rank=1"};
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_config("", "test", settings);
}

std::uint64_t retained(const job::JobPlan& job, const std::string& key) {
  for (const auto& [name, nbytes] : job.stages.front().train.memory.retained_by_op) {
    if (name == key) return nbytes;
  }
  return 0;
}

TEST(UnfusedTest, ThePlansAreProven) {
  const Settings one, pipeline{"parallel.pipeline_model_parallel_size=2", "overlap.pipeline=false"};
  for (const Settings& layout : {one, pipeline}) {
    for (const Settings& recompute :
         {Settings{}, Settings{"recompute.granularity=selective"},
          Settings{"recompute.granularity=full", "recompute.whole_layers=true"},
          Settings{"model.parallel_block=true", "model.sliding_window=4"},
          Settings{"model.normalization=rms_norm"}}) {
      Settings settings = layout;
      settings.insert(settings.end(), recompute.begin(), recompute.end());
      const job::JobPlan job = job::plan_job(baseline(settings));
      EXPECT_TRUE(job.train_verification.ok()) << ::testing::PrintToString(settings);
      EXPECT_TRUE(job.evaluate_verification.ok()) << ::testing::PrintToString(settings);
    }
  }
}

// Per layer: masks of a byte for every element that is dropped from, and what the backward of
// attention reads. `selective` drops all that stands between qkv and the output.
TEST(UnfusedTest, WhatIsRetainedIsWhatTheBackwardReads) {
  const std::uint64_t layers = 4, tokens = 16, width = 32, ranks = 4;
  const std::uint64_t scores = layers * 16 * 16;  // one head a rank
  const std::uint64_t branches = layers * 2 * tokens * width / ranks;
  const std::uint64_t embedding = tokens * width / ranks;
  const job::JobPlan none = job::plan_job(baseline({}));
  EXPECT_EQ(retained(none, "masked_softmax:probabilities"), 4 * scores);
  EXPECT_EQ(retained(none, "norm_normalise:normalised"),
            (2 * layers + 1) * 4 * tokens * width / ranks);
  EXPECT_EQ(retained(none, "norm_rstd:rstd"), (2 * layers + 1) * 4 * tokens / ranks);
  EXPECT_EQ(retained(none, "dropout:mask"), scores + branches + embedding);
  const job::JobPlan selective = job::plan_job(baseline({"recompute.granularity=selective"}));
  EXPECT_EQ(retained(selective, "masked_softmax:probabilities"), 0U);
  EXPECT_EQ(retained(selective, "dropout:mask"), branches + embedding);
  EXPECT_GT(retained(selective, "attention_values:output"), 0U);
}

double executed(const Settings& settings) {
  plan::StepFlops flops;
  const job::JobPlan job = job::plan_job(baseline(settings));
  return plan::count_flops(job.stages.front().train.expansion.plan).executed;
}

// Whole layers again: as much as their forward. Otherwise the last product of a layer is not, where
// no dropout behind it wants its mask back.
TEST(UnfusedTest, AWholeLayerAgainIsItsForwardAgain) {
  const std::string plain = "model.hidden_dropout=0", full = "recompute.granularity=full";
  const double none = executed({plain}), needed = executed({plain, full}),
               whole = executed({plain, full, "recompute.whole_layers=true"});
  const double tokens = 4 * 16, width = 32, ranks = 4, layers = 4;
  const double down = 2 * tokens * width * 4 * width / ranks, products = 3 * down;
  const double core = 2 * 2 * tokens * 16 * width / ranks;
  EXPECT_DOUBLE_EQ(whole - none, layers * (products + core));
  EXPECT_DOUBLE_EQ(whole - needed, layers * down);
}

// A window narrower than half of the sequence leaves a band of two windows of the square.
TEST(UnfusedTest, ASlidingWindowComputesABandOfTheSquare) {
  const double square = executed({}), tokens = 4 * 16, layers = 4, width = 32, ranks = 4;
  const double products = 6;  // of attention, forward and backward
  const double of_key = layers * products * 2 * tokens * width / ranks;
  EXPECT_DOUBLE_EQ(square - executed({"model.sliding_window=4"}), of_key * (16 - 2 * 4));
  EXPECT_DOUBLE_EQ(square, executed({"model.sliding_window=8"}));
  const job::JobPlan narrow = job::plan_job(baseline({"model.sliding_window=2"}));
  EXPECT_EQ(retained(narrow, "masked_softmax:probabilities"), 4U * 4 * 16 * 4);
}

TEST(UnfusedTest, ExecutionIsRefusedWithTheKindsNamed) {
  const job::JobPlan job = job::plan_job(baseline({}));
  try {
    const engine::PreparedKernels kernels(job.stages.front().train.expansion.plan, {}, job.kernels,
                                          {});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    for (const char* part : {" attention_scores ", " masked_softmax ", " norm_mean ", "simulate"})
      EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
  }
}

// What `check` looks for before a run is made. A mixture of experts has kernels on all devices.
TEST(KindsWithoutKernelTest, AreThoseOfTheDevice) {
  const auto missing = [](const Config& config) {
    const job::JobPlan job = job::plan_job(config);
    return job::kinds_without_kernel(job.stages.front().train.expansion.plan, job.kernels);
  };
  const std::set<std::string> unfused = missing(baseline({}));
  for (const char* kind : {"attention_scores", "masked_softmax", "norm_mean"})
    EXPECT_TRUE(unfused.contains(kind)) << kind;
  EXPECT_FALSE(unfused.contains("linear"));
  for (const Settings& device :
       {Settings{"train.device=cpu"}, {"train.device=cuda", "model.dtype=bfloat16"}}) {
    Settings mixture{"model.type=llama",
                     "model.num_layers=2",
                     "model.hidden_size=32",
                     "model.num_attention_heads=4",
                     "model.seq_length=16",
                     "moe.num_experts=8",
                     "moe.router_topk=2",
                     "moe.ffn_hidden_size=16",
                     "moe.expert_capacity_factor=1",
                     "moe.aux_loss_coeff=0.01",
                     "moe.router_enable_expert_bias=true",
                     "moe.routing_replay=record",
                     "moe.fp8_communication=true",
                     "parallel.world_size=2",
                     "parallel.expert_model_parallel_size=2",
                     "train.global_batch_size=4",
                     "train.threads_per_rank=1"};
    mixture.insert(mixture.end(), device.begin(), device.end());
    EXPECT_EQ(missing(parse_config("", "test", mixture)), std::set<std::string>{})
        << device.front();
  }
}

}  // namespace
}  // namespace megascale
