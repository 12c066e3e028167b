// ZeRO stage 3 (arXiv 1910.02054): parameters and main gradients are divided over data-parallel ranks, and whole
// only while ops use them. It trains as one rank does.
#include <gtest/gtest.h>

#include <chrono>

#include "support/watchdog.h"
#include "train/layouts.h"
#include "train/routed_model.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const Settings kZero3{"parallel.zero_stage=3"};
const Settings kTied{"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=12"};
const Settings kUntied{"model.type=llama",         "model.num_layers=4",
                       "model.hidden_size=24",     "model.num_attention_heads=4",
                       "model.num_query_groups=2", "model.ffn_hidden_size=48"};

TEST(DividedParametersTest, LayoutsTrainAsOneRank) {
  const Watchdog watchdog("divided parameters in layouts", std::chrono::seconds(500));
  Laboratory laboratory;
  const std::vector<testing::Layout> layouts{
      {split(1, 1, 1, 2, kZero3), false},
      {split(1, 1, 1, 3, joined({kZero3, {"parallel.data_parallel_buckets=2"}})), false},
      {split(1, 1, 1, 4, joined({kZero3, {"recompute.granularity=full"}})), false},
      {split(1, 2, 1, 4, kZero3), false},
      {split(2, 1, 1, 2, kZero3), false},
      {split(2, 1, 1, 4, joined({kZero3, {"overlap.tensor_pieces=2"}})), false},
      {split(1, 1, 2, 4, joined({kZero3, {"parallel.pipeline_schedule=zb-h1"}})), false},
      {split(1, 1, 2, 4,
             joined(
                 {kZero3,
                  {"parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved"}})),
       false},
      {split(2, 1, 2, 8, joined({kZero3, {"recompute.granularity=selective"}})), false}};
  for (const Settings& base : {kTied, kUntied, joined({kUntied, {"optimizer.name=lamb"}})}) {
    expect_layouts_agree(base, layouts,
                         {.run = [&](const Settings& settings, const RunOptions& options) {
                           return laboratory.run(settings, options);
                         }});
  }
}

// With one micro-batch gradients are added over the ranks once, as with stage 2.
TEST(DividedParametersTest, OneMicroBatchHasTheBitsOfStage2) {
  Laboratory laboratory;
  for (const Settings& more :
       {Settings{}, Settings{"parallel.reduce_scatter_with_fp32_accumulation=true"},
        Settings{"model.fp8=e4m3"}}) {
    const Settings ranks = joined({kUntied, split(1, 1, 1, 4), {"train.micro_batch_size=3"}, more});
    const Settings zero2{"parallel.zero_stage=2"};
    EXPECT_EQ(first_difference(laboratory.run(joined({ranks, kZero3}), {.most_steps = 5}),
                               laboratory.run(joined({ranks, zero2}), {.most_steps = 5})),
              "");
  }
}

// Goal: stage 3 changes bits by the order of its sums only. Overlap, the number of buckets, the schedule and
// recomputation change no bit.
TEST(DividedParametersTest, OtherSettingsKeepTheBits) {
  const Watchdog watchdog("bits of divided parameters", std::chrono::seconds(300));
  Laboratory laboratory;
  const Settings stages{"parallel.pipeline_model_parallel_size=2", "parallel.world_size=4"};
  for (const Settings& more :
       {Settings{}, Settings{"parallel.reduce_scatter_with_fp32_accumulation=true"}}) {
    const Settings base = joined({kUntied, split(1, 1, 1, 2), kZero3, more});
    const Outcome expected = laboratory.run(base, {.most_steps = 5});
    for (const Settings& other :
         {Settings{"overlap.data=false"}, Settings{"parallel.data_parallel_buckets=1"},
          Settings{"parallel.data_parallel_buckets=3"}, Settings{"data.prefetch=false"},
          Settings{"recompute.granularity=full"},
          Settings{"recompute.granularity=list", "recompute.ops=linear,add"}, stages,
          joined({stages, {"parallel.pipeline_schedule=zb-h1"}}),
          joined({stages, {"overlap.data=false", "overlap.pipeline=false"}}),
          joined(
              {stages,
               {"parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved"}})}) {
      const Outcome got = laboratory.run(joined({base, other}), {.most_steps = 5});
      EXPECT_EQ(first_difference(got, expected), "") << ::testing::PrintToString(other);
    }
  }
}

// Experts are divided over ranks of their own, biases of choices and routers are parameters of other kinds.
TEST(DividedParametersTest, ExpertsTrainAsOnOneRank) {
  const Watchdog watchdog("divided experts", std::chrono::seconds(300));
  Laboratory laboratory;
  const Settings experts =
      joined({routed_model(),
              {"moe.router_score_function=sigmoid", "moe.router_enable_expert_bias=true"}});
  const Settings expert2{"parallel.expert_model_parallel_size=2"};
  const std::vector<testing::Layout> layouts{
      {split(1, 1, 1, 2, kZero3), false},
      {split(1, 1, 1, 4, joined({kZero3, expert2})), false},
      {split(1, 1, 1, 4, joined({kZero3, expert2, {"moe.token_dispatcher_type=allgather"}})),
       false},
      {split(2, 1, 2, 8, joined({kZero3, expert2})), false}};
  expect_layouts_agree(experts, layouts,
                       {.run = [&](const Settings& settings, const RunOptions& options) {
                         return laboratory.run(settings, options);
                       }});
}

// Frozen weights have no gradients and no state; they are divided too.
TEST(DividedParametersTest, AdaptersOnDividedWeights) {
  Laboratory laboratory;
  const Settings base = joined(
      {kUntied, {"lora.rank=2", "lora.targets=linear_qkv,linear_proj,linear_fc1,linear_fc2"}});
  expect_layouts_agree(
      base,
      {{split(1, 1, 1, 2, kZero3), false},
       {split(2, 1, 1, 4, joined({kZero3, {"recompute.granularity=full"}})), false},
       {split(1, 1, 2, 4, joined({kZero3, {"parallel.pipeline_schedule=zb-h1"}})), false}},
      {.run = [&](const Settings& settings,
                  const RunOptions& options) { return laboratory.run(settings, options); },
       .gradients_after_five_steps = true});
}

TEST(DividedParametersTest, AResumeRepeatsTheBits) {
  Laboratory laboratory;
  const Settings settings = joined({kTied, split(1, 1, 1, 3, kZero3)});
  const Outcome whole = laboratory.run(settings);
  const Outcome begun = laboratory.run(settings, {.most_steps = 3});
  const Outcome resumed = laboratory.run(settings, {.load = begun.checkpoints});
  EXPECT_EQ(first_difference(resumed.tensors, whole.tensors), "");
}

}  // namespace
}  // namespace megascale
