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

const Settings kDropsRows{"moe.rows_bound=1", "moe.rows_overflow=drop"};

// Goal: of the rows beyond the room for them those with the lowest scores are dropped. Method: where the
// ranks that share experts are those of a micro-batch, and the groups of a capacity are the experts of a
// rank, both drop the same choices.
TEST(RoutedDropsTest, RowsBeyondTheirRoomAreThoseOverACapacity) {
  const Watchdog watchdog("rows and a capacity", std::chrono::seconds(240));
  const RoutedLayout layout{"", 2, 2, 1, 1, 4, {"train.micro_batch_size=2"}};
  Laboratory laboratory;
  const Dropping capacity = train_with(
      laboratory,
      and_also(settings(layout), {"moe.expert_capacity_factor=1", "moe.device_groups=4"}));
  const Dropping rows = train_with(laboratory, and_also(settings(layout), kDropsRows));
  EXPECT_GT(rows.total(), 0);
  EXPECT_EQ(rows.dropped, capacity.dropped);
  EXPECT_EQ(rows.outcome.losses, capacity.outcome.losses);
  EXPECT_EQ(rows.outcome.gradient_norms, capacity.outcome.gradient_norms);
}

TEST(RoutedDropsTest, NoWayOfDispatchExceedsTheRoomForRows) {
  Laboratory laboratory;
  const auto train_in = [&](const RoutedLayout& layout) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    return train_with(laboratory, and_also(settings(layout), kDropsRows));
  };
  const Dropping plain = train_in({"expert4", 1, 1, 4, 1, 4});
  EXPECT_GT(plain.total(), 0);
  for (const RoutedLayout& layout : std::vector<RoutedLayout>{
           {"gathered", 1, 1, 4, 1, 4, kGathersDropped},
           {"selective_moe", 1, 1, 4, 1, 4, {"recompute.granularity=selective_moe"}},
           {"8 bits", 1, 1, 4, 1, 4, {"moe.fp8_communication=true"}}}) {
    SCOPED_TRACE(layout.name);
    const Dropping got = train_in(layout);
    // The first step has the same weights, so it drops the same.
    EXPECT_EQ(got.dropped[0], plain.dropped[0]);
    if (layout.more == kGathersDropped) {
      EXPECT_EQ(got.dropped, plain.dropped);
      EXPECT_LE(worst_relative_difference(got.outcome.losses, plain.outcome.losses), kDropsBound);
      EXPECT_LE(
          worst_relative_difference(got.outcome.validation_losses, plain.outcome.validation_losses),
          kDropsBound);
    }
  }
  for (const RoutedLayout& layout : std::vector<RoutedLayout>{
           {"row pieces", 1, 1, 2, 1, 2, {"overlap.expert_pieces=2"}},
           {"expert_tensor2", 2, 1, 2, 1, 2, {"parallel.expert_tensor_parallel_size=2"}},
           {"pipeline2", 1, 1, 4, 2, 2, {"parallel.zero_stage=2"}}}) {
    SCOPED_TRACE(layout.name);
    EXPECT_GT(train_in(layout).total(), 0);
  }
}

// A capacity drops nothing in evaluation, so more rows may arrive there than in training.
TEST(RoutedDropsTest, EvaluationsHaveRoomForTheirRows) {
  const Watchdog watchdog("rows of an evaluation", std::chrono::seconds(240));
  const Settings limited{"moe.expert_capacity_factor=1", "moe.device_groups=4", "moe.rows_bound=1"};
  Laboratory laboratory;
  const Settings all =
      and_also(settings({"", 2, 2, 1, 1, 4, {"train.micro_batch_size=2"}}), limited);
  EXPECT_THROW(train_with(laboratory, all, 6), Error);
  const Dropping drops = train_with(laboratory, and_also(all, {"moe.rows_overflow=drop"}), 6);
  EXPECT_FALSE(drops.outcome.validation_losses.empty());
  EXPECT_GT(drops.total(), 0) << "those over the capacity are counted";
}

}  // namespace
}  // namespace megascale
