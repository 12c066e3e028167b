// The losses that balance groups of experts in a whole model: alike in every layout, and equal to the
// loss of single experts where each group is one expert.
#include <gtest/gtest.h>

#include <chrono>

#include "support/job.h"
#include "support/watchdog.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double kGroupsBound = 1e-5;  // as routed_equality_test.cpp
constexpr std::int64_t kGroupsSteps = 5;
const Settings kOfGroups{"moe.device_groups=4", "moe.device_aux_loss_coeff=0.5",
                         "moe.communication_aux_loss_coeff=0.5", "moe.aux_loss_coeff=0"};
const RoutedLayout kGroupsOnOneRank{"one", 1, 1, 1, 1, 1};

Settings joined(Settings all, const Settings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The first step, unclipped, so that its moments are gradients.
Tensors first_gradients(Laboratory& laboratory, Settings all) {
  all.emplace_back("optimizer.clip_grad=0");
  return laboratory.run(all, {.most_steps = 1}).tensors;
}

TEST(RoutedGroupsTest, LossesOfGroupsAreCloseToOneRankInEveryLayout) {
  const Settings gather{"moe.token_dispatcher_type=allgather"},
      pairs{"train.micro_batch_size=2", "parallel.zero_stage=1"},
      full{"recompute.granularity=full"}, selective{"recompute.granularity=selective_moe"};
  const std::vector<RoutedLayout> layouts{
      {"tensor2", 2, 1, 1, 1, 1, full},
      {"context2_expert2", 1, 2, 1, 1, 2, pairs},
      {"expert2", 1, 1, 2, 1, 2},
      {"expert4", 1, 1, 4, 1, 4, selective},
      {"gather_tensor2_data2_expert4", 2, 1, 2, 1, 4, gather},
      {"tensor2_context2_expert2", 2, 2, 1, 1, 2, gather},
      {"pipeline2_expert2", 1, 1, 2, 2, 2},
  };
  Laboratory laboratory;
  std::map<bool, std::pair<Outcome, Tensors>> plain;  // by whether a micro-batch has two sequences
  for (const RoutedLayout& layout : layouts) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    SCOPED_TRACE(layout.name);
    const bool two = layout.more == pairs;
    if (!plain.contains(two)) {
      const Settings one =
          joined(joined(settings(kGroupsOnOneRank), kOfGroups), two ? pairs : Settings{});
      plain[two] = {laboratory.run(one, {.most_steps = kGroupsSteps}),
                    first_gradients(laboratory, one)};
    }
    const Settings all = joined(settings(layout), kOfGroups);
    const Outcome got = laboratory.run(all, {.most_steps = kGroupsSteps});
    EXPECT_LE(worst_relative_difference(got.losses, plain[two].first.losses), kGroupsBound);
    EXPECT_LE(worst_gradient_difference(first_gradients(laboratory, all), plain[two].second),
              kGroupsBound);
  }
}

// Goal: each loss of groups has its gradient. Method: with as many groups as experts both are the loss
// of single experts, whose gradient other tests check; with one group both are constant.
TEST(RoutedGroupsTest, GroupsOfOneExpertHaveTheLossOfExpertsAndOneGroupHasNone) {
  const Watchdog watchdog("groups of one expert", std::chrono::seconds(240));
  Laboratory laboratory;
  const auto gradients = [&](const Settings& more) {
    return first_gradients(
        laboratory,
        joined(joined(settings({"tensor2", 2, 1, 1, 1, 1}), {"moe.aux_loss_coeff=0"}), more));
  };
  const Tensors none = gradients({}), of_experts = gradients({"moe.aux_loss_coeff=0.5"});
  // Otherwise the rest would hold without any loss.
  EXPECT_GT(worst_gradient_difference(of_experts, none), 1000 * kGroupsBound);
  for (const std::string key : {"device", "communication"}) {
    const std::string coefficient = "moe." + key + "_aux_loss_coeff=0.5";
    EXPECT_LE(
        worst_gradient_difference(gradients({"moe.device_groups=8", coefficient}), of_experts),
        kGroupsBound)
        << key;
    EXPECT_LE(worst_gradient_difference(gradients({"moe.device_groups=1", coefficient}), none),
              kGroupsBound)
        << key;
    EXPECT_GT(
        worst_gradient_difference(gradients({"moe.device_groups=4", coefficient}), of_experts),
        1000 * kGroupsBound)
        << key;
  }
}

}  // namespace
}  // namespace megascale
