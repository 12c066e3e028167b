// Training of adapters (LoRA) of models with experts: each expert has adapters of its own.
#include <gtest/gtest.h>

#include "megascale/base/philox.h"
#include "support/watchdog.h"
#include "train/adapters.h"
#include "train/layouts.h"
#include "train/routed_model.h"
#include "train/slopes.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Of four layers, all have qkv and output, two an MLP, two routed experts and a shared one.
constexpr int kAdapted = 4 * 2 + 2 * 2 + 2 * (2 + 2);

// Goal: each adapter is trained, and nothing else: no router, no bias of its choices, no gate.
TEST(ExpertAdapterTest, OnlyAdaptersAreTrained) {
  Laboratory laboratory;
  for (const Settings& more : {Settings{}, Settings{"moe.router_enable_expert_bias=true"},
                               Settings{"moe.shared_expert_gate=true"}}) {
    const Settings all = joined({routed_model(), kAdapters, more});
    const Outcome begun = laboratory.run(all, {.most_steps = 0}), trained = laboratory.run(all);
    EXPECT_EQ(count_trained_adapters(begun.tensors, trained.tensors), 2 * kAdapted);
    EXPECT_EQ(
        first_difference(weights_of(trained.tensors, false), weights_of(begun.tensors, false)), "");
  }
}

Layout layout(const RoutedLayout& of, bool same_bits = false) { return {settings(of), same_bits}; }

// Goal: the adapters of experts are divided, spread and summed as the layout says. The gradients are
// compared with B that is not zero, for else A has none.
TEST(ExpertAdapterTest, LayoutsTrainTheSameAdapters) {
  const Watchdog watchdog("adapters of experts in layouts", std::chrono::seconds(500));
  const Settings gather{"moe.token_dispatcher_type=allgather"}, zero2{"parallel.zero_stage=2"},
      expert_tensor2{"parallel.expert_tensor_parallel_size=2"},
      whole_shared{"parallel.replicate_shared_experts=true"};
  Laboratory laboratory;
  expect_layouts_agree(
      joined({routed_model(), kAdapters}),
      {{{"recompute.granularity=full"}, true},
       {{"recompute.granularity=selective_moe"}, true},
       layout({"pipeline2", 1, 1, 1, 2, 1, {"parallel.pipeline_schedule=zb-h1"}}, true),
       layout({"expert4", 1, 1, 4, 1, 4, zero2}),
       layout({"expert2_of_data4", 1, 1, 4, 1, 2}),
       layout({"tensor2_data2_expert4", 2, 1, 2, 1, 4}),
       layout({"tensor2_expert_tensor2", 2, 1, 1, 1, 1, expert_tensor2}),
       layout({"data4_expert_tensor2", 1, 1, 4, 1, 2, joined({expert_tensor2, zero2})}),
       layout({"context2_expert2", 1, 2, 1, 1, 2}),
       layout({"shared_whole", 2, 1, 2, 1, 2, whole_shared}),
       layout({"gather_tensor2_expert2", 2, 1, 1, 1, 2, gather}),
       layout({"gather_expert_tensor2", 1, 1, 4, 1, 2, joined({gather, expert_tensor2})}),
       layout({"pieces", 1, 1, 2, 1, 2, {"overlap.expert_pieces=4"}}),
       layout({"parts", 1, 1, 2, 1, 2, joined({gather, {"overlap.expert_pieces=4"}})}),
       layout({"pipeline2_expert2", 1, 1, 2, 2, 2, {"optimizer.name=adamw"}})},
      {.run = [&](const Settings& all,
                  const RunOptions& options) { return laboratory.run(all, options); },
       .gradients_after_five_steps = true});
}

// Goal: checkpoints of adapters go from any layout of experts to any other.
TEST(ExpertAdapterTest, CheckpointsGoToOtherLayoutsAndBack) {
  Laboratory laboratory;
  const Settings all = joined({routed_model(), kAdapters});
  const Settings expert4 = settings({"expert4", 1, 1, 4, 1, 4, {"parallel.zero_stage=2"}}),
                 parts =
                     settings({"parts", 2, 1, 2, 1, 1, {"parallel.expert_tensor_parallel_size=2"}});
  for (const Settings& layout : {expert4, parts}) {
    const Settings there = joined({layout, kAdapters});
    const Outcome begun = laboratory.run(all, {.most_steps = 3}),
                  held = laboratory.run(there, {.most_steps = 0, .load = begun.checkpoints}),
                  back = laboratory.run(all, {.most_steps = 0, .load = held.checkpoints});
    EXPECT_EQ(first_difference(held.tensors, begun.tensors), "");
    EXPECT_EQ(first_difference(back.tensors, begun.tensors), "");
  }
}

// Goal: the gradients of A and B are those of the loss. Every token goes to all experts: a choice between
// them would make the loss jump.
TEST(ExpertAdapterTest, GradientsAreThoseOfTheLoss) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  Laboratory laboratory;
  const Settings all = joined(
      {routed_model(),
       kAdapters,
       {"moe.num_experts=3", "moe.router_topk=3", "moe.aux_loss_coeff=0", "moe.z_loss_coeff=0",
        "optimizer.clip_grad=0", "data.shuffle=false", "data.split=1,0,0", "train.eval_interval=0",
        "model.init_method_std=0.2", "train.global_batch_size=4", "train.micro_batch_size=2"}});
  Tensors before = laboratory.run(all, {.most_steps = 0}).tensors;
  for (auto& [name, values] : before) {
    if (name.ends_with("lora_B.weight")) PhiloxStream(7, name).fill_normal(values, 0, 0, 0.2);
  }
  TrainingLosses losses(laboratory.config(all), before);
  (void)losses.step_at({});
  EXPECT_EQ(expect_slopes(losses, before, losses.first_moments()), 2 * kAdapted);
}

}  // namespace
}  // namespace megascale
