// Training of adapters (LoRA) beside frozen weights.
#include "train/adapters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "support/watchdog.h"
#include "train/layouts.h"
#include "train/slopes.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

const Settings kGpt2{"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=12"};
const Settings kLlama{"model.type=llama",         "model.num_layers=4",
                      "model.hidden_size=24",     "model.num_attention_heads=4",
                      "model.num_query_groups=2", "model.ffn_hidden_size=48",
                      "model.qk_layernorm=true"};
// Goal: a frozen weight has the bits that it began with and no moments; each adapter is trained.
TEST(AdapterTrainingTest, OnlyAdaptersAreTrained) {
  Laboratory laboratory;
  for (const Settings& model : {kGpt2, kLlama}) {
    const Settings all = joined({model, kAdapters});
    const Tensors before = laboratory.run(all, {.most_steps = 0}).tensors,
                  after = laboratory.run(all).tensors,
                  whole = laboratory.run(model, {.most_steps = 0}).tensors;
    EXPECT_EQ(first_difference(weights_of(after, false), weights_of(whole, false)), "");
    EXPECT_EQ(count_trained_adapters(before, after), 4 * 4 * 2);
  }
}

// PEFT begins with A uniform within 1 / sqrt(inputs), and B zero.
TEST(AdapterTrainingTest, InitialValuesAreThoseOfPeft) {
  Laboratory laboratory;
  const Tensors begun = laboratory.run(joined({kGpt2, kAdapters}), {.most_steps = 0}).tensors;
  const auto& down = begun.at("layers.1.mlp.down.lora_A.weight");
  const float bound = 1 / std::sqrt(96.0F);
  double square = 0;
  for (const float value : down) {
    EXPECT_LE(std::abs(value), bound);
    square += value * value;
  }
  EXPECT_EQ(down.size(), 3U * 96U);
  EXPECT_NEAR(square / static_cast<double>(down.size()), bound * bound / 3, 0.1 * bound * bound);
  for (const float value : begun.at("layers.1.mlp.down.lora_B.weight")) EXPECT_EQ(value, 0);
}

// Goal: layouts agree. The gradients are compared with B that is not zero, for else A has none.
TEST(AdapterTrainingTest, LayoutsTrainTheSameAdapters) {
  const Watchdog watchdog("adapters in layouts", std::chrono::seconds(500));
  Laboratory laboratory;
  const std::vector<Layout> layouts{
      {split(1, 1, 2, 2), true},
      {split(1, 1, 2, 2,
             {"parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved"}),
       true},
      {split(1, 1, 2, 2, {"parallel.pipeline_schedule=zb-h1"}), true},
      {{"recompute.granularity=full"}, true},
      {{"recompute.granularity=selective"}, true},
      {split(2, 1, 1, 2), false},
      {split(2, 1, 1, 2, {"recompute.keep_gathered_input=true"}), false},
      {split(1, 2, 1, 2), false},
      {split(1, 1, 1, 2, {"parallel.zero_stage=1"}), false},
      {split(1, 1, 1, 3, {"parallel.zero_stage=2"}), false},
      {split(2, 2, 2, 8), false},
      {split(2, 1, 1, 4, {"parallel.zero_stage=2"}), false}};
  for (const Settings& model : {kGpt2, joined({kGpt2, {"model.parallel_block=true"}}),
                                joined({kGpt2, {"lora.targets=linear_proj,linear_fc1"}})}) {
    const Settings base = joined({model, kAdapters});
    expect_layouts_agree(
        base, layouts,
        {.run = [&](const Settings& settings,
                    const RunOptions& options) { return laboratory.run(settings, options); },
         .gradients_after_five_steps = true});
  }
}

// ZeRO stages 0 to 2 do not change bits.
TEST(AdapterTrainingTest, ZeroStagesHaveTheSameBits) {
  Laboratory laboratory;
  const Settings base = joined({kLlama, kAdapters, split(2, 1, 1, 4)});
  const Outcome none = laboratory.run(base, {.most_steps = 5});
  for (const char* stage : {"parallel.zero_stage=1", "parallel.zero_stage=2"})
    EXPECT_EQ(first_difference(laboratory.run(joined({base, {stage}}), {.most_steps = 5}), none),
              "")
        << stage;
}

TEST(AdapterTrainingTest, AResumeRepeatsTheBits) {
  Laboratory laboratory;
  const Settings all = joined({kLlama, kAdapters});
  const Outcome whole = laboratory.run(all);
  const Outcome begun = laboratory.run(all, {.most_steps = 3});
  for (const Settings& layout : {Settings{}, split(1, 1, 2, 2)}) {
    const Outcome resumed = laboratory.run(joined({all, layout}), {.load = begun.checkpoints});
    EXPECT_EQ(first_difference(resumed.tensors, whole.tensors), "");
  }
}

// Goal: adapters begin as no change of the model that they are added to.
TEST(AdapterTrainingTest, AreAddedToTheWeightsOfACheckpoint) {
  Laboratory laboratory;
  const Outcome base = laboratory.run(kLlama, {.most_steps = 4});
  const Settings begins{"checkpoint.start=weights"};
  const Outcome tuned =
      laboratory.run(joined({kLlama, kAdapters, begins}), {.load = base.checkpoints});
  const Outcome whole = laboratory.run(joined({kLlama, begins}), {.load = base.checkpoints});
  EXPECT_EQ(tuned.losses.front(), whole.losses.front());
  EXPECT_NE(tuned.losses.back(), whole.losses.back());
  EXPECT_EQ(first_difference(weights_of(tuned.tensors, false), weights_of(base.tensors, false)),
            "");
  // Wherever they lie, the ranks draw the same initial values.
  const Outcome split_up = laboratory.run(joined({kLlama, kAdapters, begins, split(1, 1, 2, 2)}),
                                          {.load = base.checkpoints});
  EXPECT_EQ(first_difference(split_up.tensors, tuned.tensors), "");
}

TEST(AdapterTrainingTest, RunsThatDoNotFitTheirCheckpointAreRefused) {
  Laboratory laboratory;
  const auto refusal = [&](const Settings& settings, const Outcome& load) {
    try {
      (void)laboratory.run(settings, {.load = load.checkpoints});
    } catch (const Error& error) {
      return error.message();
    }
    return std::string();
  };
  const Outcome base = laboratory.run(kLlama, {.most_steps = 1}),
                tuned = laboratory.run(joined({kLlama, kAdapters}), {.most_steps = 1});
  EXPECT_THAT(refusal(joined({kLlama, kAdapters}), base),
              HasSubstr("adapters can be added by a run with checkpoint.start = \"weights\""));
  for (const char* other :
       {"lora.rank=4", "lora.alpha=7", "lora.targets=linear_qkv", "lora.rank=0"})
    EXPECT_THAT(refusal(joined({kLlama, kAdapters, {other, "checkpoint.start=weights"}}), tuned),
                HasSubstr("found another model"))
        << other;
}

// Goal: the gradients of A and B are those of the loss, in every kind of layer.
TEST(AdapterTrainingTest, GradientsAreThoseOfTheLoss) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  const Settings one_step{"optimizer.clip_grad=0",     "data.shuffle=false",
                          "data.split=1,0,0",          "train.eval_interval=0",
                          "model.init_method_std=0.2", "train.global_batch_size=4",
                          "train.micro_batch_size=2"};
  for (const Settings& model : {kGpt2, kLlama}) {
    const Settings all = joined({model, kAdapters, one_step});
    Laboratory laboratory;
    Tensors before = laboratory.run(all, {.most_steps = 0}).tensors;
    for (auto& [name, values] : before) {
      if (name.ends_with("lora_B.weight")) PhiloxStream(7, name).fill_normal(values, 0, 0, 0.2);
    }
    TrainingLosses losses(laboratory.config(all), before);
    (void)losses.step_at({});
    const Tensors moments = losses.first_moments();
    EXPECT_EQ(expect_slopes(losses, before, moments), 4 * 4 * 2);
  }
}

}  // namespace
}  // namespace megascale
