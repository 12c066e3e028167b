// The gradients of a whole model with routed experts, against finite differences of its loss, also where
// choices are dropped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "megascale/engine/inference.h"
#include "support/watchdog.h"
#include "train/routed_model.h"
#include "train/slopes.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// The balancing losses are not part of the loss that is reported, so they are off; tests/kernels has
// differences of their own.
const Settings kOneStep{"optimizer.clip_grad=0",     "data.shuffle=false",
                        "data.split=1,0,0",          "train.eval_interval=0",
                        "model.init_method_std=0.2", "moe.aux_loss_coeff=0",
                        "moe.z_loss_coeff=0",        "train.global_batch_size=4"};

Settings one_step(std::initializer_list<Settings> more) {
  Settings all = routed_model();
  for (const Settings& settings : more) all.insert(all.end(), settings.begin(), settings.end());
  all.insert(all.end(), kOneStep.begin(), kOneStep.end());
  return all;
}

// Every token goes to all experts: a choice between them would make the loss jump. (The comparison with
// PyTorch has choices.)
void expect_gradients(const Settings& more) {
  const Settings all =
      one_step({more, {"moe.num_experts=3", "moe.router_topk=3", "train.micro_batch_size=2"}});
  Laboratory laboratory;
  const Tensors before = laboratory.run(all, {.most_steps = 0}).tensors;
  const Tensors after = laboratory.run(all, {.most_steps = 1}).tensors;
  Losses losses(laboratory.config(all), before);
  EXPECT_GT(expect_slopes(losses, before, after), 20);
}

TEST(RoutedGradientTest, SoftmaxRouterWithASharedExpert) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  expect_gradients({"moe.norm_topk_prob=false"});
}

TEST(RoutedGradientTest, SigmoidRouterWithAScalingFactor) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  expect_gradients({"moe.router_score_function=sigmoid", "moe.norm_topk_prob=false",
                    "moe.router_topk_scaling_factor=1.5", "moe.shared_expert_intermediate_size=0",
                    "moe.first_dense_layers=1"});
}

TEST(RoutedGradientTest, SigmoidRouterWithWeightsDividedByTheirSum) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  expect_gradients({"moe.router_score_function=sigmoid", "moe.layer_freq=1"});
}

TEST(RoutedGradientTest, GateOfASharedExpert) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  expect_gradients({"moe.shared_expert_gate=true"});
}

// Method: nothing that a weight moves may decide what is dropped. A bias chooses experts 0, 1 and 3 for
// every token. Three of four sequences are exempt, and their choices of the first group are as many as it
// keeps. So the tokens of the other sequence lose two choices of three, whatever their scores are.
TEST(RoutedGradientTest, DroppedChoicesHaveNoGradientAndTheOthersKeepTheirs) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  const auto settings_of = [](int seed) {
    return one_step({{"moe.num_experts=6", "moe.router_topk=3", "moe.device_groups=2",
                      "moe.expert_capacity_factor=1", "moe.capacity_exempt_share=0.75",
                      "moe.router_enable_expert_bias=true", "train.micro_batch_size=4",
                      "train.seed=" + std::to_string(seed)}});
  };
  Laboratory laboratory;
  Tensors before = laboratory.run(settings_of(1), {.most_steps = 0}).tensors;
  for (auto& [name, values] : before) {
    if (name.ends_with("choice_bias")) values = {9, 9, 0, 9, 0, 0};
  }
  constexpr double kDropped = 2 * 24;  // of a layer: two choices of each token of a sequence
  for (int seed = 1;; ++seed) {
    ASSERT_LT(seed, 50) << "no seed exempts three of four sequences";
    TrainingLosses losses(laboratory.config(settings_of(seed)), before);
    const engine::StepResult step = losses.step_at({});
    if (step.recorded[6] != kDropped) continue;
    EXPECT_GT(expect_slopes(losses, before, losses.first_moments()), 20);
    return;
  }
}

// A new token with a key-value cache sees what it sees in a whole sequence: the rows of experts are
// counted by tokens that are counted themselves.
TEST(RoutedGradientTest, DecodingGivesTheLogitsOfTheWholeSequence) {
  const Watchdog watchdog("decoding");
  Laboratory laboratory;
  Settings gated = routed_model();
  gated.emplace_back("moe.shared_expert_gate=true");
  const Config config = laboratory.config(gated);
  const Tensors weights = laboratory.run(gated, {.most_steps = 0}).tensors;
  engine::Inference model(config, nullptr);
  for (engine::StatePart& part : model.state()) {
    const auto& values = weights.at(part.name);
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(part.begin), part.weight.size(),
                part.weight.begin());
  }
  const std::vector<std::int32_t> tokens{5, 17, 101, 3, 3, 250, 9};
  const auto whole = model.feed(tokens);
  const std::vector<float> wanted(whole.begin(), whole.end());
  model.keep(0, 0);
  (void)model.feed(std::span(tokens).first(3));
  for (std::size_t i = 3; i + 1 < tokens.size(); ++i)
    (void)model.feed(std::span(tokens).subspan(i, 1));
  const auto stepwise = model.feed(std::span(tokens).last(1));
  ASSERT_EQ(stepwise.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(stepwise[i], wanted[i], 1e-5) << i;
}

}  // namespace
}  // namespace megascale
