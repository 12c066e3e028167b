// Choices that are dropped over a capacity: the same in every layout, under every switch that keeps the
// bits, and none of exempt sequences.
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "support/job.h"
#include "support/scratch_directory.h"
#include "support/watchdog.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double kDropsBound = 1e-5;  // as routed_equality_test.cpp
constexpr std::int64_t kDropsSteps = 5;
const Settings kGathersDropped{"moe.token_dispatcher_type=allgather"};
const RoutedLayout kDropsOnOneRank{"one", 1, 1, 1, 1, 1};

Settings and_also(Settings all, const Settings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A capacity of the mean, for groups of two experts, and all losses.
Settings with_drops(const RoutedLayout& layout, const Settings& more = {}) {
  return and_also(and_also(settings(layout), {"moe.expert_capacity_factor=1", "moe.device_groups=4",
                                              "moe.device_aux_loss_coeff=0.05",
                                              "moe.communication_aux_loss_coeff=0.05"}),
                  more);
}

struct Dropping {
  Outcome outcome;
  std::vector<std::int64_t> dropped;  // by step and layer
  [[nodiscard]] std::int64_t total() const {
    return std::accumulate(dropped.begin(), dropped.end(), std::int64_t{0});
  }
};

Dropping train_with(Laboratory& laboratory, const Settings& all, std::int64_t steps = kDropsSteps) {
  Dropping result;
  result.outcome = laboratory.run(
      all, {.most_steps = steps, .on_step = [&](const train::StepMetrics& metrics) {
              if (!metrics.routing) return;
              const auto& counts = metrics.routing->dropped;
              result.dropped.insert(result.dropped.end(), counts.begin(), counts.end());
            }});
  return result;
}

TEST(RoutedDropsTest, EveryLayoutDropsTheSameChoices) {
  const Settings pairs{"train.micro_batch_size=2"},
      exempt{"train.micro_batch_size=2", "moe.capacity_exempt_share=0.25"};
  const std::vector<RoutedLayout> layouts{
      {"tensor2", 2, 1, 1, 1, 1},
      {"expert2", 1, 1, 2, 1, 2},
      {"expert4", 1, 1, 4, 1, 4, {"recompute.granularity=selective_moe"}},
      {"gather_tensor2_data2_expert4", 2, 1, 2, 1, 4, kGathersDropped},
      {"pieces_expert2", 1, 1, 2, 1, 2, and_also(kGathersDropped, {"overlap.expert_pieces=2"})},
      {"row_pieces_expert2", 1, 1, 2, 1, 2, {"overlap.expert_pieces=2"}},
      {"expert_tensor2", 2, 1, 1, 1, 1, {"parallel.expert_tensor_parallel_size=2"}},
      {"pipeline2_expert2", 1, 1, 2, 2, 2},
      {"context2_expert2", 1, 2, 1, 1, 2, pairs},
      {"data2_expert2", 1, 1, 2, 1, 2, exempt},
      {"tensor2_context2_expert4", 2, 2, 1, 1, 4, exempt},
  };
  Laboratory laboratory;
  std::map<Settings, std::pair<Dropping, Tensors>> plain;
  for (const RoutedLayout& layout : layouts) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    SCOPED_TRACE(layout.name);
    const Settings of_batches =
        layout.more == pairs || layout.more == exempt ? layout.more : Settings{};
    const auto first_gradients_of = [&](const RoutedLayout& of, const Settings& more) {
      return laboratory
          .run(with_drops(of, and_also(more, {"optimizer.clip_grad=0"})), {.most_steps = 1})
          .tensors;
    };
    if (!plain.contains(of_batches)) {
      plain[of_batches] = {train_with(laboratory, with_drops(kDropsOnOneRank, of_batches)),
                           first_gradients_of(kDropsOnOneRank, of_batches)};
    }
    const auto& [want, gradients] = plain[of_batches];
    EXPECT_GT(want.total(), 0);
    const Dropping got = train_with(laboratory, with_drops(layout));
    EXPECT_EQ(got.dropped, want.dropped);
    EXPECT_LE(worst_relative_difference(got.outcome.losses, want.outcome.losses), kDropsBound);
    EXPECT_LE(
        worst_relative_difference(got.outcome.validation_losses, want.outcome.validation_losses),
        kDropsBound);
    EXPECT_LE(worst_gradient_difference(first_gradients_of(layout, {}), gradients), kDropsBound);
  }
}

TEST(RoutedDropsTest, NoSwitchChangesBits) {
  const RoutedLayout base{"expert2", 1, 1, 4, 1, 2, {"moe.capacity_exempt_share=0.25"}};
  Laboratory laboratory;
  const Dropping plain = train_with(laboratory, with_drops(base));
  EXPECT_GT(plain.total(), 0);
  const std::vector<std::pair<const char*, Settings>> changes{
      {"no overlap", {"overlap.tensor=false", "overlap.pipeline=false", "overlap.data=false"}},
      {"full", {"recompute.granularity=full"}},
      {"whole layers", {"recompute.granularity=full", "recompute.whole_layers=true"}},
      {"selective_moe", {"recompute.granularity=selective_moe"}},
      {"order of differentiation", {"overlap.layer_order=false"}},
      {"no prefetch", {"data.prefetch=false"}},
  };
  for (const auto& [name, more] : changes) {
    const Watchdog watchdog(name, std::chrono::seconds(240));
    const Dropping got = train_with(laboratory, with_drops(base, more));
    EXPECT_EQ(first_difference(got.outcome, plain.outcome), "") << name;
    EXPECT_EQ(got.dropped, plain.dropped) << name;
  }
}

// Goal: exempt sequences lose nothing. Method: if all are exempt, or if there is room for all choices,
// a run has the bits of one without a capacity. A share of them is between the two ends.
TEST(RoutedDropsTest, ExemptSequencesLoseNothing) {
  const Watchdog watchdog("exempt sequences", std::chrono::seconds(240));
  const RoutedLayout layout{"expert2", 1, 1, 2, 1, 2};
  Laboratory laboratory;
  const auto with_setting = [&](const char* setting) {
    return train_with(laboratory, with_drops(layout, {setting}));
  };
  const Dropping all = with_setting("moe.expert_capacity_factor=1"),
                 half = with_setting("moe.capacity_exempt_share=0.5"),
                 none = with_setting("moe.capacity_exempt_share=1"),
                 wide = with_setting("moe.expert_capacity_factor=100"),
                 dropless = with_setting("moe.expert_capacity_factor=0");
  EXPECT_LT(half.total(), all.total());
  EXPECT_GT(half.total(), 0);
  EXPECT_EQ(none.total(), 0);
  EXPECT_EQ(wide.total(), 0);
  EXPECT_EQ(first_difference(none.outcome, dropless.outcome), "");
  EXPECT_EQ(first_difference(wide.outcome, dropless.outcome), "");
  EXPECT_NE(first_difference(all.outcome, dropless.outcome), "");
}

// Weights that do not move have the same losses of evaluation, whatever training drops.
TEST(RoutedDropsTest, EvaluationDropsNothing) {
  const Watchdog watchdog("evaluation", std::chrono::seconds(240));
  const RoutedLayout layout{"expert2", 1, 1, 2, 1, 2, {"optimizer.lr=0", "optimizer.min_lr=0"}};
  Laboratory laboratory;
  const Dropping drops = train_with(laboratory, with_drops(layout), 6),
                 dropless = train_with(laboratory,
                                       with_drops(layout, {"moe.expert_capacity_factor=0"}), 6);
  ASSERT_FALSE(drops.outcome.validation_losses.empty());
  EXPECT_EQ(drops.outcome.validation_losses, dropless.outcome.validation_losses);
  EXPECT_NE(drops.outcome.losses, dropless.outcome.losses);
}

// Recorded routes are those before dropping, so a run that replays them drops the same choices again.
TEST(RoutedDropsTest, ReplayedRoutesAreDroppedAgain) {
  const Watchdog watchdog("replayed routes", std::chrono::seconds(240));
  const RoutedLayout layout{"expert2", 1, 1, 2, 1, 2};
  Laboratory laboratory;
  const ScratchDirectory routes;
  const std::string folder = "moe.routing_replay_dir=" + (routes / "routes").string();
  const auto with_routes = [&](const char* mode) {
    return train_with(laboratory, with_drops(layout, {folder, mode}));
  };
  const Dropping recorded = with_routes("moe.routing_replay=record"),
                 replayed = with_routes("moe.routing_replay=replay");
  EXPECT_GT(recorded.total(), 0);
  EXPECT_EQ(replayed.dropped, recorded.dropped);
  EXPECT_EQ(first_difference(replayed.outcome, recorded.outcome), "");
}

}  // namespace
}  // namespace megascale
