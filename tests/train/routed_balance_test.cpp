// Balancing by a bias of the choices: it moves by the loads of whole steps, the same in every layout,
// and nothing else of training sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "megascale/train/metrics.h"
#include "megascale/train/routing_metrics.h"
#include "support/watchdog.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kBalanceSteps = 3;
constexpr float kRate = 0.0625F;  // exact in float32, and so are its multiples

RoutedLayout biased(RoutedLayout layout) {
  layout.more.insert(layout.more.end(),
                     {"moe.router_enable_expert_bias=true", "moe.router_bias_update_rate=0.0625"});
  return layout;
}

std::string name_of_bias(std::int64_t layer) {
  return "layers." + std::to_string(layer) + ".mlp.router.choice_bias";
}

// A run, and the biases that follow from the loads that its steps have reported, by name.
struct Balanced {
  Outcome outcome;
  std::map<std::string, std::vector<float>> wanted;
};
Balanced balanced(Laboratory& laboratory, const RoutedLayout& layout, std::int64_t steps,
                  const Outcome* from = nullptr) {
  Balanced result;
  RunOptions options{.most_steps = steps};
  if (from != nullptr) options.load = from->checkpoints;
  options.on_step = [&](const train::StepMetrics& metrics) {
    const train::RoutingMetrics& routing = metrics.routing.value();
    for (std::size_t i = 0; i < routing.layers.size(); ++i) {
      const auto& loads = routing.loads[i];
      auto& bias = result.wanted[name_of_bias(routing.layers[i])];
      bias.resize(loads.size());
      const auto all = std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
      const auto experts = static_cast<std::int64_t>(loads.size());
      for (std::size_t e = 0; e < loads.size(); ++e) {
        if (loads[e] * experts > all) bias[e] -= kRate;
        if (loads[e] * experts < all) bias[e] += kRate;
      }
    }
  };
  result.outcome = laboratory.run(settings(layout), std::move(options));
  return result;
}

TEST(RoutedBalanceTest, TheBiasFollowsTheLoadsInEveryLayout) {
  const std::vector<RoutedLayout> layouts{
      {"one", 1, 1, 1, 1, 1},
      {"data2_zero2", 1, 1, 2, 1, 1, {"parallel.zero_stage=2"}},
      {"data2_bfloat16",
       1,
       1,
       2,
       1,
       1,
       {"parallel.zero_stage=2", "parallel.reduce_scatter_with_fp32_accumulation=true"}},
      {"expert2_of_data4_zero1", 1, 1, 4, 1, 2, {"parallel.zero_stage=1"}},
      {"tensor2_expert2", 2, 1, 1, 1, 2},
      {"context2_data2_expert4", 1, 2, 2, 1, 4},
      {"pipeline2_expert2", 1, 1, 2, 2, 2, {"parallel.pipeline_schedule=zb-h1"}},
      {"full", 1, 1, 1, 1, 1, {"recompute.granularity=full"}},
      {"lamb_expert2", 1, 1, 2, 1, 2, {"optimizer.name=lamb"}},
  };
  Laboratory laboratory;
  for (const RoutedLayout& layout : layouts) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    SCOPED_TRACE(layout.name);
    const auto [outcome, wanted] = balanced(laboratory, biased(layout), kBalanceSteps);
    EXPECT_EQ(wanted.size(), 2U) << "two of four layers have experts";
    for (const auto& [name, bias] : wanted) {
      ASSERT_TRUE(outcome.tensors.contains(name)) << name;
      EXPECT_EQ(outcome.tensors.at(name), bias) << name;
      EXPECT_NE(bias, std::vector<float>(bias.size()));
    }
  }
}

TEST(RoutedBalanceTest, NoNormContainsTheExcessOfLoads) {
  Laboratory laboratory;
  const RoutedLayout layout{"expert2", 1, 1, 2, 1, 2};
  const Outcome plain = laboratory.run(settings(layout), {.most_steps = 1});
  const Outcome with = laboratory.run(settings(biased(layout)), {.most_steps = 1});
  EXPECT_EQ(with.losses, plain.losses) << "the bias is 0 in the first step";
  EXPECT_EQ(with.gradient_norms, plain.gradient_norms);
  for (const auto& [name, values] : plain.tensors) EXPECT_EQ(with.tensors.at(name), values) << name;
}

TEST(RoutedBalanceTest, ACheckpointHoldsTheBias) {
  Laboratory laboratory;
  const RoutedLayout from = biased({"expert2", 1, 1, 2, 1, 2}),
                     to = biased({"data2", 1, 1, 2, 1, 1, {"parallel.zero_stage=2"}});
  const Outcome whole = balanced(laboratory, from, 4).outcome;
  const Outcome half = balanced(laboratory, from, 2).outcome;
  const Outcome rest = balanced(laboratory, from, 2, &half).outcome;
  EXPECT_EQ(first_difference(rest.tensors, whole.tensors), "");
  const Outcome moved = laboratory.run(settings(to), {.most_steps = 0, .load = half.checkpoints});
  EXPECT_EQ(first_difference(moved.tensors, half.tensors), "");
}

TEST(RoutedBalanceTest, LoadsBecomeMoreEven) {
  Laboratory laboratory;
  const auto imbalance = [&](Settings more) {
    more.insert(more.end(), {"moe.aux_loss_coeff=0", "train.train_iters=24"});
    double last = 0;
    (void)laboratory.run(settings(RoutedLayout{"one", 1, 1, 1, 1, 1, std::move(more)}),
                         {.on_step = [&](const train::StepMetrics& metrics) {
                           const auto& all = metrics.routing->imbalance;
                           last = *std::max_element(all.begin(), all.end());
                         }});
    return last;
  };
  EXPECT_LT(imbalance({"moe.router_enable_expert_bias=true", "moe.router_bias_update_rate=0.01"}),
            imbalance({}));
}

}  // namespace
}  // namespace megascale
