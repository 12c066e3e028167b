// A step says how its tokens were routed: the same numbers in every layout, whoever holds the experts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "megascale/config/derived.h"
#include "megascale/train/metrics.h"
#include "megascale/train/routing_metrics.h"
#include "support/watchdog.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kLoadSteps = 3;

std::map<std::int64_t, train::RoutingMetrics> routing_of(Laboratory& laboratory,
                                                         const RoutedLayout& layout) {
  std::map<std::int64_t, train::RoutingMetrics> by_step;
  (void)laboratory.run(settings(layout), {.most_steps = kLoadSteps,
                                          .on_step = [&](const train::StepMetrics& metrics) {
                                            if (metrics.routing)
                                              by_step.emplace(metrics.step, *metrics.routing);
                                          }});
  return by_step;
}

TEST(RoutedLoadsTest, EveryLayoutCountsWhatOneRankCounts) {
  const std::vector<RoutedLayout> layouts{
      {"data2", 1, 1, 2, 1, 1},
      {"expert2", 1, 1, 2, 1, 2},
      {"expert2_of_data4_zero2", 1, 1, 4, 1, 2, {"parallel.zero_stage=2"}},
      {"tensor2_expert2", 2, 1, 1, 1, 2},
      {"context2_data2_expert4", 1, 2, 2, 1, 4},
      {"pipeline2_expert2", 1, 1, 2, 2, 2, {"parallel.pipeline_schedule=zb-h1"}},
      {"full", 1, 1, 1, 1, 1, {"recompute.granularity=full"}},
  };
  Laboratory laboratory;
  const RoutedLayout one{"one", 1, 1, 1, 1, 1};
  const auto wanted = routing_of(laboratory, one);
  ASSERT_EQ(wanted.size(), static_cast<std::size_t>(kLoadSteps));
  const Config config = laboratory.config(settings(one));
  for (const auto& [step, routing] : wanted) {
    EXPECT_THAT(routing.layers, ::testing::ElementsAre(0, 2)) << "two of four layers have experts";
    for (const auto& layer : routing.loads)
      EXPECT_EQ(std::accumulate(layer.begin(), layer.end(), std::int64_t{0}),
                tokens_per_step(config) * config.model.moe.router_topk);
    for (const double loss : routing.aux_loss) EXPECT_GT(loss, 0);
    for (const double loss : routing.z_loss) EXPECT_GT(loss, 0);
  }
  for (const RoutedLayout& layout : layouts) {
    const Watchdog watchdog(layout.name, std::chrono::seconds(240));
    SCOPED_TRACE(layout.name);
    const auto got = routing_of(laboratory, layout);
    ASSERT_EQ(got.size(), wanted.size());
    for (const auto& [step, routing] : got) {
      const train::RoutingMetrics& usual = wanted.at(step);
      EXPECT_EQ(routing.loads, usual.loads) << "step " << step;
      EXPECT_EQ(routing.dropped, usual.dropped);
      ASSERT_EQ(routing.aux_loss.size(), usual.aux_loss.size());
      for (std::size_t i = 0; i < usual.aux_loss.size(); ++i) {
        EXPECT_NEAR(routing.aux_loss[i], usual.aux_loss[i], 1e-5 * usual.aux_loss[i]);
        EXPECT_NEAR(routing.z_loss[i], usual.z_loss[i], 1e-5 * usual.z_loss[i]);
      }
    }
  }
}

TEST(RoutedLoadsTest, ADenseModelRecordsNothing) {
  Laboratory laboratory;
  bool is_said = false;
  (void)laboratory.run({}, {.most_steps = 1, .on_step = [&](const train::StepMetrics& metrics) {
                              is_said |= metrics.routing.has_value();
                            }});
  EXPECT_FALSE(is_said);
}

train::StepMetrics line_of(train::RoutingMetrics routing, std::int64_t step) {
  train::StepMetrics metrics{.step = step};
  metrics.routing = std::move(routing);
  return metrics;
}

TEST(RoutedLoadsTest, ALineOfTheMetricsHasTheNumbersOfEachLayer) {
  const train::RoutingMetrics routing{.layers = {1, 3},
                                      .loads = {{6, 2}, {4, 4}},
                                      .dropped = {0, 2},
                                      .aux_loss = {0.25, std::numeric_limits<double>::quiet_NaN()},
                                      .z_loss = {0, 0.5},
                                      .imbalance = {1.5, 1},
                                      .rank_imbalance = {1, 1},
                                      .imbalance_share = 0.125};
  const std::string line = to_json_line(line_of(routing, 7));
  EXPECT_THAT(line, HasSubstr("\"expert_imbalance\":1.5"));
  EXPECT_THAT(line, HasSubstr("\"expert_dropped_share\":0.125"));
  EXPECT_THAT(line, HasSubstr("\"expert_imbalance_share\":0.125"));
  EXPECT_THAT(line, HasSubstr("\"layers\":[1,3]"));
  EXPECT_THAT(line, HasSubstr("\"loads\":[[6,2],[4,4]]"));
  EXPECT_THAT(line, HasSubstr("\"dropped\":[0,2]"));
  EXPECT_THAT(line, HasSubstr("\"aux_loss\":[0.25,null]")) << "JSON has no NaN";
}

TEST(RoutedLoadsTest, LoadsOfManyExpertsAreInOneLineOfSeveral) {
  train::RoutingMetrics routing;
  for (std::int64_t layer = 0; layer < 3; ++layer) {
    routing.layers.push_back(layer);
    routing.loads.emplace_back(train::kLoadsPerLine, 1);
  }
  EXPECT_THAT(to_json_line(line_of(routing, 6)), HasSubstr("\"loads\""));
  EXPECT_THAT(to_json_line(line_of(routing, 7)), Not(HasSubstr("\"loads\"")));
  EXPECT_THAT(to_json_line(line_of(routing, 8)), Not(HasSubstr("\"loads\"")));
  EXPECT_THAT(to_json_line(line_of(routing, 9)), HasSubstr("\"loads\""));
}

}  // namespace
}  // namespace megascale
