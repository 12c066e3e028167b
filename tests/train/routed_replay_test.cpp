// Recorded choices of routers: other layouts take them and agree as dense layouts do, and routings
// that no router would make give the right answer in both modes of dispatch.
#include "train/routed_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "support/scratch_directory.h"
#include "support/watchdog.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

constexpr double kReplayBound = 1e-5;  // as of dense models (train/equality.h)
constexpr std::int64_t kReplaySteps = 5;
const RoutedLayout kAlone{"one", 1, 1, 1, 1, 1};
const Settings kByGather{"moe.token_dispatcher_type=allgather"};

const std::vector<RoutedLayout>& replay_layouts() {
  static const std::vector<RoutedLayout> layouts{
      {"tensor2_data2_expert4", 2, 1, 2, 1, 4, {"parallel.zero_stage=1"}},
      {"context2_expert2", 1, 2, 1, 1, 2, {"recompute.granularity=selective_moe"}},
      {"pipeline4_expert2", 1, 1, 2, 4, 2, {"parallel.pipeline_schedule=zb-h1"}},
      {"gather_expert4", 1, 1, 4, 1, 4, Settings{"parallel.zero_stage=2"} + kByGather},
      {"gather_context2_expert2", 1, 2, 1, 1, 2, kByGather},
  };
  return layouts;
}

TEST(RoutedReplayTest, RecordingAndReplayingChangeNoBits) {
  const Watchdog watchdog("replay of one rank", std::chrono::seconds(240));
  Laboratory laboratory;
  const ScratchDirectory scratch;
  const Outcome plain = laboratory.run(settings(kAlone), {.most_steps = kReplaySteps});
  const Outcome recording =
      laboratory.run(settings(kAlone) + recorded(scratch / "routes"), {.most_steps = kReplaySteps});
  EXPECT_EQ(first_difference(recording, plain), "");
  const Outcome replay =
      laboratory.run(settings(kAlone) + replayed(scratch / "routes"), {.most_steps = kReplaySteps});
  EXPECT_EQ(first_difference(replay, plain), "");
  EXPECT_EQ(route_files(scratch / "routes").size(), kReplaySteps + 1) << "steps and an evaluation";
}

TEST(RoutedReplayTest, AnyLayoutRecordsTheChoicesOfOneRank) {
  Laboratory laboratory;
  const ScratchDirectory scratch;
  const auto shape = routes_of(laboratory.config(settings(kAlone)));
  (void)laboratory.run(settings(kAlone) + recorded(scratch / "one"), {.most_steps = kReplaySteps});
  for (const RoutedLayout& layout : replay_layouts()) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    (void)laboratory.run(settings(layout) + recorded(scratch / layout.name),
                         {.most_steps = kReplaySteps});
    const RouteDifferences found = compare_routes(scratch / layout.name, scratch / "one", shape);
    EXPECT_EQ(found.choices, (kReplaySteps + 1) * shape.layers * shape.tokens * shape.top_k);
    EXPECT_LT(found.worst_gap, 1e-5) << layout.name << ": " << found.differing << " choices differ";
    EXPECT_LT(found.worst_score, 1e-4) << layout.name;
  }
}

// Returns how many neighbours among the choices of a token are not in the order of their scores.
std::int64_t disordered_scores(const std::filesystem::path& directory,
                               const engine::RouteShape& shape) {
  std::int64_t disordered = 0;
  std::vector<float> scores(static_cast<std::size_t>(shape.tokens * shape.top_k));
  const auto k = static_cast<std::size_t>(shape.top_k);
  for (const std::filesystem::path& path : route_files(directory)) {
    const auto file = engine::RouteFile::to_read(path, shape);
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      file.read_scores(layer, 0, scores);
      for (std::size_t i = 1; i < scores.size(); ++i)
        disordered += i % k != 0 && scores[i] > scores[i - 1] ? 1 : 0;
    }
  }
  return disordered;
}

// Biases of choices move by more than most gaps of scores here. The recorded scores contain them, so a
// choice that another layout makes otherwise has a small gap here too.
TEST(RoutedReplayTest, ScoresAreThoseThatChoicesGoBy) {
  Laboratory laboratory;
  const ScratchDirectory scratch;
  const Settings biased{"moe.router_enable_expert_bias=true", "moe.router_bias_update_rate=0.1",
                        "moe.router_score_function=sigmoid"};
  const auto shape = routes_of(laboratory.config(settings(kAlone) + biased));
  ASSERT_GT(shape.top_k, 1);
  (void)laboratory.run(settings(kAlone) + biased + recorded(scratch / "one"),
                       {.most_steps = kReplaySteps});
  EXPECT_EQ(disordered_scores(scratch / "one", shape), 0);
  const RoutedLayout& layout = replay_layouts().front();
  (void)laboratory.run(settings(layout) + biased + recorded(scratch / layout.name),
                       {.most_steps = kReplaySteps});
  const RouteDifferences found = compare_routes(scratch / layout.name, scratch / "one", shape);
  EXPECT_LT(found.worst_gap, 1e-5) << found.differing << " choices differ";
  EXPECT_LT(found.worst_score, 1e-4);
}

// A context rank's rows of a micro-batch of two sequences are two runs of tokens, each from the middle of a
// sequence.
TEST(RoutedReplayTest, MicroBatchesOfTwoSequencesRecordAndReplayTheChoicesOfOneRank) {
  Laboratory laboratory;
  const ScratchDirectory scratch;
  const Settings twos{"train.micro_batch_size=2"};
  const auto shape = routes_of(laboratory.config(settings(kAlone) + twos));
  const Outcome one = laboratory.run(settings(kAlone) + twos + recorded(scratch / "one"),
                                     {.most_steps = kReplaySteps});
  for (const RoutedLayout& layout : {RoutedLayout{"context2_expert2", 1, 2, 1, 1, 2},
                                     RoutedLayout{"tensor2_context2_expert4", 2, 2, 1, 1, 4}}) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    SCOPED_TRACE(layout.name);
    (void)laboratory.run(settings(layout) + twos + recorded(scratch / layout.name),
                         {.most_steps = kReplaySteps});
    const RouteDifferences found = compare_routes(scratch / layout.name, scratch / "one", shape);
    EXPECT_EQ(found.choices, (kReplaySteps + 1) * shape.layers * shape.tokens * shape.top_k);
    EXPECT_LT(found.worst_gap, 1e-5) << found.differing << " choices differ";
    EXPECT_LT(found.worst_score, 1e-4);
    const Outcome replay = laboratory.run(settings(layout) + twos + replayed(scratch / "one"),
                                          {.most_steps = kReplaySteps});
    EXPECT_LE(worst_relative_difference(replay.losses, one.losses), kReplayBound);
  }
}

// Runs the layouts with the routes in a folder, and holds them against one rank with these routes.
void expect_close_to_one_rank(Laboratory& laboratory, const std::filesystem::path& routes,
                              std::int64_t steps) {
  const Outcome one = laboratory.run(settings(kAlone) + replayed(routes), {.most_steps = steps});
  const auto first_step = [&](const RoutedLayout& layout) {
    return laboratory
        .run(settings(layout) + replayed(routes) + Settings{"optimizer.clip_grad=0"},
             {.most_steps = 1})
        .tensors;
  };
  const Tensors first_of_one = first_step(kAlone);
  for (const RoutedLayout& layout : replay_layouts()) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    SCOPED_TRACE(layout.name);
    const Outcome got = laboratory.run(settings(layout) + replayed(routes), {.most_steps = steps});
    EXPECT_LE(worst_relative_difference(got.losses, one.losses), kReplayBound);
    EXPECT_LE(worst_relative_difference(got.gradient_norms, one.gradient_norms), kReplayBound);
    EXPECT_LE(worst_gradient_difference(first_step(layout), first_of_one), kReplayBound);
  }
}

TEST(RoutedReplayTest, LayoutsWithTheRoutesOfOneRankAreCloseToIt) {
  Laboratory laboratory;
  const ScratchDirectory scratch;
  (void)laboratory.run(settings(kAlone) + recorded(scratch / "one"), {.most_steps = kReplaySteps});
  expect_close_to_one_rank(laboratory, scratch / "one", kReplaySteps);
}

// Routings that a router hardly makes: all tokens go to the same experts, or none to one of them.
TEST(RoutedReplayTest, AdversarialRoutesGiveTheRightAnswer) {
  constexpr std::int64_t kShortSteps = 2;
  Laboratory laboratory;
  const auto shape = routes_of(laboratory.config(settings(kAlone)));
  const std::vector<std::pair<const char*, std::function<std::int64_t(std::int64_t, std::int64_t)>>>
      routings{
          {"all tokens to the first experts", [](std::int64_t, std::int64_t j) { return j; }},
          {"all tokens to the experts of the last rank",
           [&](std::int64_t, std::int64_t j) { return shape.experts - 1 - j; }},
          {"none to one expert",
           [&](std::int64_t t, std::int64_t j) { return 1 + (t + j) % (shape.experts - 1); }},
      };
  for (const auto& [name, expert] : routings) {
    SCOPED_TRACE(name);
    const ScratchDirectory scratch;
    std::vector<std::int32_t> choices;
    for (std::int64_t t = 0; t < shape.tokens; ++t) {
      for (std::int64_t j = 0; j < shape.top_k; ++j)
        choices.push_back(static_cast<std::int32_t>(expert(t, j)));
    }
    const std::vector<float> scores(choices.size());
    for (const char* file : {"step-00000001.routes", "step-00000002.routes"}) {
      const auto routes = engine::RouteFile::to_write(scratch / file, shape);
      for (std::int64_t layer = 0; layer < shape.layers; ++layer)
        routes.write(layer, 0, choices, scores);
    }
    expect_close_to_one_rank(laboratory, scratch / "", kShortSteps);
  }
}

// All logits are equal: the first experts get all tokens.
TEST(RoutedReplayTest, EqualScoresGoToTheFirstExpertsInEveryLayout) {
  const Watchdog watchdog("equal scores", std::chrono::seconds(240));
  Laboratory laboratory;
  const ScratchDirectory scratch;
  const Settings zeros{"model.init_method_std=0"};
  for (const RoutedLayout& layout : replay_layouts()) {
    const std::filesystem::path routes = scratch / layout.name;
    (void)laboratory.run(settings(layout) + zeros + recorded(routes), {.most_steps = 1});
    const auto shape = routes_of(laboratory.config(settings(layout)));
    const auto file = engine::RouteFile::to_read(routes / "step-00000001.routes", shape);
    std::vector<std::int32_t> choices(static_cast<std::size_t>(shape.tokens * shape.top_k));
    file.read(0, 0, choices);
    for (std::size_t i = 0; i < choices.size(); ++i)
      ASSERT_EQ(choices[i], static_cast<std::int32_t>(i % static_cast<std::size_t>(shape.top_k)))
          << layout.name;
  }
}

std::string error_of_run(Laboratory& laboratory, const Settings& all, std::int64_t steps) {
  try {
    (void)laboratory.run(all, {.most_steps = steps});
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

// A step that makes every weight huge: scores are NaN in the next one, which ends as any diverging
// run does. Of scores that are all NaN the router takes the first experts.
TEST(RoutedReplayTest, NanScoresStopTheRunInBothModes) {
  Laboratory laboratory;
  const ScratchDirectory scratch;
  const auto shape = routes_of(laboratory.config(settings(kAlone)));
  for (const RoutedLayout& layout : replay_layouts()) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    const std::string error =
        error_of_run(laboratory,
                     settings(layout) + recorded(scratch / layout.name) +
                         Settings{"optimizer.lr=1e6", "train.max_skipped_steps=1"},
                     kReplaySteps);
    EXPECT_THAT(error, HasSubstr("the run has diverged")) << layout.name;
    const auto last = engine::RouteFile::to_read(route_files(scratch / layout.name).back(), shape);
    std::vector<std::int32_t> chosen(static_cast<std::size_t>(shape.tokens * shape.top_k));
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      last.read(layer, 0, chosen);
      for (std::size_t i = 0; i < chosen.size(); ++i)
        ASSERT_EQ(chosen[i], static_cast<std::int64_t>(i) % shape.top_k) << layout.name;
    }
  }
}

TEST(RoutedReplayTest, RoutesThatAreMissingOrForeignStopTheRunByName) {
  const Watchdog watchdog("refused routes", std::chrono::seconds(240));
  Laboratory laboratory;
  const ScratchDirectory scratch;
  const RoutedLayout layout{"pipeline4_expert2", 1, 1, 2, 4, 2, kByGather};
  const Settings replay = settings(layout) + replayed(scratch / "one");
  EXPECT_THAT(error_of_run(laboratory, replay, 1), HasSubstr("no folder"));
  (void)laboratory.run(settings(kAlone) + recorded(scratch / "one"), {.most_steps = 1});
  EXPECT_EQ(error_of_run(laboratory, replay, 1), "");
  EXPECT_THAT(error_of_run(laboratory, replay, 2), HasSubstr("moe.routing_replay_dir is missing"))
      << "only one step was recorded";
  EXPECT_THAT(error_of_run(laboratory, replay + Settings{"moe.router_topk=2"}, 1),
              HasSubstr("expected routes of 2 layers, 288 tokens, 2 of 8 experts, found 2 layers, "
                        "288 tokens, 3 of 8 experts"));
  std::filesystem::resize_file(scratch / "one/step-00000001.routes", 1000);
  EXPECT_THAT(error_of_run(laboratory, replay, 1), HasSubstr("bytes of routes, found 1000"));
}

}  // namespace
}  // namespace megascale
