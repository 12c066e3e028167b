// Loads of experts: shares of ranks, Zipf's law, and what they change in an op.
#include "megascale/simulate/expert_loads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace megascale::simulate {
namespace {

TEST(ExpertLoadsTest, ARankHasTheRowsOfItsOwnExperts) {
  const ExpertLoads loads{{{3, {4, 2, 1, 1}}}};
  EXPECT_DOUBLE_EQ(loads.of_rank(3, 0, 2), 1.5);
  EXPECT_DOUBLE_EQ(loads.of_rank(3, 1, 2), 0.5);
  EXPECT_DOUBLE_EQ(loads.of_rank(3, 0, 4), 2);
  EXPECT_DOUBLE_EQ(loads.of_rank(3, 0, 1), 1);
  EXPECT_DOUBLE_EQ(loads.of_busiest_rank(3, 4), 2);
  EXPECT_DOUBLE_EQ(loads.of_rank(2, 0, 4), 1) << "a layer without loads";
}

TEST(ExpertLoadsTest, ZipfLoadsAreAPermutationThatDependsOnTheLayer) {
  const ExpertLoads loads = zipf_loads(1, {0, 1, 2, 3}, 16, 1);
  std::vector<std::size_t> busiest;
  for (const auto& [layer, of_layer] : loads.by_layer) {
    std::vector<double> sorted = of_layer;
    std::sort(sorted.rbegin(), sorted.rend());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      EXPECT_DOUBLE_EQ(sorted[i], 1 / static_cast<double>(i + 1));
    busiest.push_back(std::max_element(of_layer.begin(), of_layer.end()) - of_layer.begin());
  }
  EXPECT_FALSE(std::all_of(busiest.begin(), busiest.end(),
                           [&](std::size_t expert) { return expert == busiest[0]; }));
  EXPECT_TRUE(zipf_loads(0, {0, 1}, 16, 1).are_even());
}

// Goal: no expert has more than one choice of each token.  Method: the loads of 8 experts by Zipf's law,
// sorted. With 2 choices only the first is above half of the sum. With 3 choices and exponent 3 the
// rest of the first would put the second above a third, so that both are cut.
TEST(ExpertLoadsTest, AnExpertHasAtMostOneChoiceOfEachToken) {
  const auto sorted = [](double exponent, std::int64_t choices) {
    std::vector<double> loads = zipf_loads(exponent, {19}, 8, choices).by_layer.at(19);
    std::sort(loads.rbegin(), loads.rend());
    return loads;
  };
  for (const double exponent : {0.1, 1.0, 2.0, 3.0, 10.0}) {
    double all = 0;
    for (int place = 1; place <= 8; ++place) all += std::pow(place, -exponent);
    for (const std::int64_t choices : {1, 2, 4, 7, 8}) {
      const std::vector<double> loads = sorted(exponent, choices);
      EXPECT_NEAR(std::accumulate(loads.begin(), loads.end(), 0.0), all, 1e-12 * all);
      EXPECT_LE(loads[0], all / static_cast<double>(choices) * (1 + 1e-12))
          << "exponent " << exponent << ", " << choices << " choices";
    }
  }
  const std::vector<double> two = sorted(2, 2), three = sorted(3, 3), eight = sorted(2, 8);
  EXPECT_DOUBLE_EQ(two[1] / two[2], 9.0 / 4) << "the others keep their proportions";
  EXPECT_DOUBLE_EQ(zipf_loads(2, {19}, 8, 2).of_busiest_rank(19, 8), 4);
  EXPECT_DOUBLE_EQ(three[0], three[1]);
  EXPECT_GT(three[1], three[2]);
  EXPECT_DOUBLE_EQ(three[2] / three[3], 64.0 / 27);
  EXPECT_NEAR(eight[7], eight[0], 1e-12) << "every token chooses all experts";
}

TEST(ExpertLoadsTest, AGroupKeepsItsCapacityOfTheChoicesBeforeDropping) {
  const ExpertLoads loads{{{3, {4, 2, 1, 1}}, {5, {1, 1, 1, 1}}}};
  const ExpertLoads by_expert = drop_loads(loads, {.groups = 4, .factor = 1.5});
  EXPECT_DOUBLE_EQ(by_expert.of_rank(3, 0, 4), 1.5);  // 3 of 4
  EXPECT_DOUBLE_EQ(by_expert.of_rank(3, 1, 4), 1) << "the mean stays that of all choices";
  EXPECT_DOUBLE_EQ(by_expert.of_rank(3, 2, 4), 0.5);
  EXPECT_DOUBLE_EQ(by_expert.of_rank(3, 0, 2), 1.25);
  EXPECT_DOUBLE_EQ(by_expert.of_rank(5, 0, 4), 1) << "nothing is dropped";
  const ExpertLoads by_group = drop_loads(loads, {.groups = 2, .factor = 1.25});
  EXPECT_DOUBLE_EQ(by_group.of_rank(3, 0, 2), 1.25);  // 5 of 6
  EXPECT_DOUBLE_EQ(by_group.of_rank(3, 0, 4), 4.0 * 5 / 6 / 2);
  const ExpertLoads exempt = drop_loads(loads, {.groups = 4, .factor = 1, .exempt = 0.75});
  EXPECT_DOUBLE_EQ(exempt.of_rank(3, 0, 4), 1.5) << "three quarters of 4 are not dropped";
}

TEST(ExpertLoadsTest, ALoadChangesMeanRowsAndFlopsUpToTheBound) {
  plan::PlanOp op;
  op.scope = "layer3";
  op.cost.flops = 1000;
  graph::Dim leaving(150, graph::TensorId{1}, 0, 2, 50);
  leaving.leaving = true;
  op.tensors = {graph::Tensor{.shape = {graph::Dim(150, graph::TensorId{1}, 0, 2, 100), 8}},
                graph::Tensor{.shape = {100, 8}}, graph::Tensor{.shape = {leaving, 8}},
                std::nullopt};
  graph::AxisSizes axes;
  axes[graph::Axis::expert] = 2;
  const ExpertLoads loads{{{3, {7, 1}}}};
  graph::Coordinates place{};
  place[static_cast<std::size_t>(graph::Axis::expert)] = 1;
  const plan::PlanOp idle = with_load(op, loads, axes, place);
  EXPECT_EQ(idle.tensors[0]->shape[0].mean, 25);
  EXPECT_EQ(idle.tensors[1]->shape[0].expected(), 100) << "rows that no expert receives";
  EXPECT_EQ(idle.tensors[2]->shape[0].mean, 50) << "rows for experts of any rank";
  EXPECT_DOUBLE_EQ(idle.cost.flops, 250);
  place[static_cast<std::size_t>(graph::Axis::expert)] = 0;
  EXPECT_EQ(with_load(op, loads, axes, place).tensors[0]->shape[0].mean, 150) << "the bound";
  op.scope = "head";
  EXPECT_EQ(with_load(op, loads, axes, place).tensors[0]->shape[0].mean, 100);
}

}  // namespace
}  // namespace megascale::simulate
