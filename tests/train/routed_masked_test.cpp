// Models with experts on conversations: padding goes to no expert, and a loss mask does not change how much the
// losses that balance experts weigh.
#include <gtest/gtest.h>

#include "support/watchdog.h"
#include "train/conversations.h"
#include "train/layouts.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

class RoutedMaskedTest : public ConversationsTest {};

// Goal: routers count the tokens of the samples and no others, in every layer and step.
TEST_F(RoutedMaskedTest, PaddingGoesToNoExpert) {
  const Settings all = joined({routed_model(), data_of("chat", conversations(150, 8))});
  for (const Settings& layout : {Settings{}, settings({"tensor2_context2", 2, 2, 1, 1, 2})}) {
    const Config config = laboratory_.config(all);
    const std::int64_t positions = config.train.global_batch_size * config.model.seq_length;
    std::int64_t before = 0, steps = 0, padding = 0;
    RunOptions options{.most_steps = 5};
    options.on_step = [&](const train::StepMetrics& step) {
      const std::int64_t tokens = step.consumed_tokens - before;
      before = step.consumed_tokens;
      ++steps;
      ASSERT_TRUE(step.routing.has_value());
      for (const auto& loads : step.routing->loads)
        EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), std::int64_t{0}), 3 * tokens);
      padding += positions - tokens;
    };
    (void)laboratory_.run(joined({all, layout}), options);
    EXPECT_EQ(steps, 5);
    EXPECT_GT(padding, 0) << "the samples have no padding";
  }
}

// Goal: every rank marks the padding among its own tokens.
TEST_F(RoutedMaskedTest, LayoutsAgree) {
  const Watchdog watchdog("routed conversations in layouts", std::chrono::seconds(300));
  const Settings gather{"moe.token_dispatcher_type=allgather"}, zero2{"parallel.zero_stage=2"};
  const auto layout = [](const RoutedLayout& of, bool same_bits = false) {
    return Layout{settings(of), same_bits};
  };
  expect_layouts_agree(
      joined({routed_model(), data_of("chat", conversations(150, 8))}),
      {{{"recompute.granularity=full"}, true},
       layout({"pipeline2", 1, 1, 1, 2, 1, {"parallel.pipeline_schedule=zb-h1"}}, true),
       layout({"tensor2_expert2", 2, 1, 1, 1, 2}),
       layout({"context2_expert2", 1, 2, 1, 1, 2}),
       layout({"expert4", 1, 1, 4, 1, 4, zero2}),
       layout({"gather_tensor2_context2", 2, 2, 1, 1, 4, gather}),
       layout({"gather_expert2", 1, 1, 2, 1, 2, joined({gather, {"overlap.expert_pieces=4"}})})},
      {.run = [&](const Settings& all, const RunOptions& options) {
        return laboratory_.run(all, options);
      }});
}

// Goal: the end of a step divides by the tokens that the loss counts, yet the losses that balance experts stay
// means over all tokens.  Method: coefficients so large that nothing else moves a router.
TEST_F(RoutedMaskedTest, AMaskLeavesTheWeightOfBalancingLosses) {
  std::vector<MaskedDocument> documents = conversations(60, 8);
  struct Run {
    Tensors tensors;
    double aux_loss = 0;
  };
  const auto run = [&](const std::string& name) {
    Run result;
    RunOptions options{.most_steps = 1};
    options.on_step = [&](const train::StepMetrics& step) {
      result.aux_loss = step.routing->aux_loss.at(0);
    };
    const Settings all = joined({routed_model(),
                                 data_of(name, documents),
                                 kOneStep,
                                 {"moe.aux_loss_coeff=1e5", "moe.z_loss_coeff=1e3",
                                  "train.global_batch_size=4", "train.micro_batch_size=4"}});
    for (auto& [tensor, values] : laboratory_.run(all, options).tensors) {
      if (tensor.ends_with("router.weight.first_moment")) result.tensors.emplace(tensor, values);
    }
    return result;
  };
  const Run some = run("some");
  for (MaskedDocument& document : documents)
    std::fill(document.loss_mask.begin(), document.loss_mask.end(), 1);
  const Run all = run("all");
  ASSERT_EQ(all.tensors.size(), 2U);
  EXPECT_LE(worst_gradient_difference(some.tensors, all.tensors), 1e-3);
  EXPECT_NEAR(some.aux_loss, all.aux_loss, 1e-6 * all.aux_loss);
}

}  // namespace
}  // namespace megascale
