#include "megascale/kernels/cpu/router.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>

#include "kernels/every_setup.h"
#include "megascale/kernels/ref/experts.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;
using Choices = std::vector<std::int32_t>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Routed {
  Choices choice;
  std::vector<float> weight, affinity;
  std::vector<std::int64_t> loads;
};

Routed route(const RouterShape& shape, const std::vector<float>& logits,
             const std::vector<float>& bias = {}, const Choices& fixed = {},
             const Choices& padding = {}) {
  const std::size_t slots = shape.tokens * shape.top_k;
  Routed r{Choices(slots, -7), std::vector<float>(slots, kNan), std::vector<float>(slots, kNan),
           std::vector<std::int64_t>(shape.experts, -7)};
  cpu::route({.shape = shape,
              .logits = logits.data(),
              .bias = bias.empty() ? nullptr : bias.data(),
              .fixed = fixed.empty() ? nullptr : fixed.data(),
              .padding = padding.empty() ? nullptr : padding.data(),
              .choice = r.choice.data(),
              .weight = r.weight.data(),
              .affinity = r.affinity.data(),
              .loads = r.loads.data()});
  return r;
}

std::span<const double> row(const std::vector<double>& all, std::size_t n, std::size_t width) {
  return {all.data() + n * width, width};
}
std::span<const std::int32_t> row(const Choices& all, std::size_t n, std::size_t width) {
  return {all.data() + n * width, width};
}

class RouterTest
    : public ::testing::TestWithParam<
          std::tuple<std::tuple<std::size_t, std::size_t, std::size_t>, ScoreFunction, bool>> {
 protected:
  [[nodiscard]] RouterShape shape() const {
    const auto& [sizes, score, normalise] = GetParam();
    const auto& [tokens, experts, top_k] = sizes;
    return {.tokens = tokens,
            .experts = experts,
            .top_k = top_k,
            .score_function = score,
            .normalise = normalise,
            .scale = 2.5F};
  }
  [[nodiscard]] bool softmax() const { return std::get<1>(GetParam()) == ScoreFunction::softmax; }
};
INSTANTIATE_TEST_SUITE_P(
    Shapes, RouterTest,
    ::testing::Combine(::testing::Values(std::tuple{1, 1, 1}, std::tuple{3, 8, 2},
                                         std::tuple{5, 17, 3}, std::tuple{67, 64, 6},
                                         std::tuple{301, 130, 8}, std::tuple{4, 5, 5}),
                       ::testing::Values(ScoreFunction::softmax, ScoreFunction::sigmoid),
                       ::testing::Bool()));

// Choices are the largest of score + bias, within what float32 can tell apart; weights, affinities
// and loads belong to the choices.
TEST_P(RouterTest, ChoosesTheBestAndMeetsItsBound) {
  const RouterShape s = shape();
  const auto logits = normal(s.tokens * s.experts, 1, 3.0), bias = normal(s.experts, 2, 0.1);
  const auto wide = ref::widen(logits);
  for (const bool biased : {false, true}) {
    Routed got;
    run_every_setup([&] {
      got = route(s, logits, biased ? bias : std::vector<float>{});
      Outputs out{got.weight, got.affinity};
      out.emplace_back(got.choice.begin(), got.choice.end());
      out.emplace_back(got.loads.begin(), got.loads.end());
      return out;
    });
    std::vector<std::int64_t> loads(s.experts);
    for (std::size_t n = 0; n < s.tokens; ++n) {
      const auto scores = ref::router_scores(row(wide, n, s.experts), softmax());
      auto keys = scores;
      for (std::size_t e = 0; e < s.experts; ++e) keys[e] += biased ? bias[e] : 0.0F;
      auto sorted = keys;
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      const auto choice = row(got.choice, n, s.top_k);
      const auto weights =
          ref::router_weights(row(wide, n, s.experts), choice, softmax(), s.normalise, s.scale);
      std::vector<bool> taken(s.experts);
      for (std::size_t j = 0; j < s.top_k; ++j) {
        const auto e = static_cast<std::size_t>(choice[j]);
        ASSERT_LT(e, s.experts);
        EXPECT_FALSE(taken[e]) << "twice";
        taken[e] = true;
        ++loads[e];
        EXPECT_NEAR(keys[e], sorted[j], 2e-6) << "token " << n << " choice " << j;
        const double bound = kUnit * (softmax() ? static_cast<double>(s.experts) / 64 + 60 : 16);
        EXPECT_NEAR(got.affinity[n * s.top_k + j], scores[e], bound * scores[e]);
        EXPECT_NEAR(got.weight[n * s.top_k + j], weights[j],
                    (2 * bound + kUnit * static_cast<double>(s.top_k + 2)) * weights[j]);
      }
    }
    EXPECT_EQ(got.loads, loads);
  }
}

// The gradient is the finite difference of the reference's weights, for the choices that were made.
TEST_P(RouterTest, GradientIsTheFiniteDifference) {
  RouterShape s = shape();
  s.tokens = std::min<std::size_t>(s.tokens, 40);
  const auto logits = normal(s.tokens * s.experts, 3), dweight = normal(s.tokens * s.top_k, 4),
             addend = normal(s.tokens * s.experts, 5);
  const Routed routed = route(s, logits);
  for (const bool added : {false, true}) {
    const Outputs got = run_every_setup([&] {
      Outputs out{std::vector<float>(logits.size(), kNan), addend};
      cpu::RouteGradient args{.shape = s,
                              .logits = logits.data(),
                              .choice = routed.choice.data(),
                              .dweight = dweight.data(),
                              .addend = added ? addend.data() : nullptr,
                              .dlogits = out[0].data()};
      cpu::route_gradient(args);
      args.addend = added ? out[1].data() : nullptr;
      args.dlogits = out[1].data();
      cpu::route_gradient(args);
      return out;
    });
    EXPECT_TRUE(testing::same_bits(Outputs{got[0]}, Outputs{got[1]})) << "in place";
    auto wide = ref::widen(logits);
    for (std::size_t n = 0; n < s.tokens; ++n) {
      const auto loss = [&] {
        const auto w = ref::router_weights(row(wide, n, s.experts), row(routed.choice, n, s.top_k),
                                           softmax(), s.normalise, s.scale);
        double sum = 0;
        for (std::size_t j = 0; j < s.top_k; ++j)
          sum += w[j] * static_cast<double>(dweight[n * s.top_k + j]);
        return sum;
      };
      for (std::size_t i = n * s.experts; i < (n + 1) * s.experts; ++i) {
        const double x = wide[i], h = 1e-5;
        wide[i] = x + h;
        double slope = loss();
        wide[i] = x - h;
        slope = (slope - loss()) / (2 * h);
        wide[i] = x;
        EXPECT_NEAR(got[0][i], slope + (added ? double{addend[i]} : 0.0), 4e-6)
            << "token " << n << " element " << i;
      }
    }
  }
}

TEST(RouterEdgesTest, EqualScoresGoToTheLowestExperts) {
  for (const ScoreFunction score : {ScoreFunction::softmax, ScoreFunction::sigmoid}) {
    const RouterShape s{.tokens = 2, .experts = 6, .top_k = 3, .score_function = score};
    const Routed r = route(s, {1, 1, 1, 1, 1, 1, /*second token*/ 0, 2, 0, 2, 0, 2});
    EXPECT_EQ(r.choice, (Choices{0, 1, 2, 1, 3, 5}));
    EXPECT_EQ(r.loads, (std::vector<std::int64_t>{1, 2, 1, 1, 0, 1}));
  }
}

TEST(RouterEdgesTest, NanIsLessThanEveryNumberAndShows) {
  const RouterShape sigmoid{
      .tokens = 2, .experts = 4, .top_k = 2, .score_function = ScoreFunction::sigmoid};
  const Routed one = route(sigmoid, {kNan, -5, kNan, -kInfinity, /*second*/ kNan, kNan, kNan, 1});
  EXPECT_EQ(one.choice, (Choices{1, 3, 3, 0}));
  EXPECT_EQ(one.weight[1], 0.0F);
  EXPECT_TRUE(std::isnan(one.weight[3]));

  const RouterShape softmax{.tokens = 2, .experts = 4, .top_k = 2};
  const Routed all = route(softmax, {0, 1, kNan, 2, /*second*/ 0, kInfinity, 1, 2});
  EXPECT_EQ(all.choice, (Choices{0, 1, 0, 1}));
  for (const float weight : all.weight) EXPECT_TRUE(std::isnan(weight));
  EXPECT_EQ(all.loads, (std::vector<std::int64_t>{2, 2, 0, 0}));
}

// Extreme logits saturate; a token whose sigmoids all underflow has weights of zero.
TEST(RouterEdgesTest, ExtremesStayFinite) {
  RouterShape s{.tokens = 2, .experts = 3, .top_k = 2, .normalise = true};
  const Routed softmax = route(s, {1e30F, -1e30F, 0, /*second*/ -1e30F, -1e30F, -1e30F});
  EXPECT_EQ(softmax.weight, (std::vector<float>{1, 0, 0.5F, 0.5F}));
  s.score_function = ScoreFunction::sigmoid;
  const Routed sigmoid = route(s, {100, 100, -100, /*second*/ -1e30F, -1e30F, -1e30F});
  EXPECT_EQ(sigmoid.weight, (std::vector<float>{0.5F, 0.5F, 0, 0}));
}

// The choice of a token by its keys in double, among the experts of its best groups.
Choices choice_in_groups(const RouterShape& s, const std::vector<double>& keys) {
  const std::size_t size = s.experts / s.groups;
  const auto descending = [](const std::vector<double>& values) {
    return [&](std::size_t a, std::size_t b) { return values[a] > values[b]; };
  };
  std::vector<double> sums;
  for (std::size_t g = 0; g < s.groups; ++g) {
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(g * size);
    std::vector<double> of_group(first, first + static_cast<std::ptrdiff_t>(size));
    std::sort(of_group.begin(), of_group.end(), std::greater<>());
    sums.push_back(std::accumulate(
        of_group.begin(),
        of_group.begin() + static_cast<std::ptrdiff_t>(
                               s.group_best > 0 ? s.group_best : s.top_k / s.groups_of_token),
        0.0));
  }
  std::vector<std::size_t> groups(s.groups), allowed;
  std::iota(groups.begin(), groups.end(), 0);
  std::sort(groups.begin(), groups.end(), descending(sums));
  for (std::size_t i = 0; i < s.groups_of_token; ++i) {
    for (std::size_t e = 0; e < size; ++e) allowed.push_back(groups[i] * size + e);
  }
  std::sort(allowed.begin(), allowed.end(), descending(keys));
  return {allowed.begin(), allowed.begin() + static_cast<std::ptrdiff_t>(s.top_k)};
}

TEST(RouterGroupsTest, ATokenChoosesExpertsOfItsBestGroups) {
  std::size_t limited = 0;
  for (const RouterShape& sizes :
       {RouterShape{.tokens = 5, .experts = 8, .top_k = 2, .groups = 4, .groups_of_token = 1},
        {.tokens = 40, .experts = 64, .top_k = 7, .groups = 8, .groups_of_token = 3},
        {.tokens = 300, .experts = 256, .top_k = 8, .groups = 8, .groups_of_token = 4},
        {.tokens = 40,
        .experts = 64,
        .top_k = 6,
        .groups = 8,
        .groups_of_token = 3,
        .group_best = 1},
        {.tokens = 40,
        .experts = 32,
        .top_k = 7,
        .groups = 4,
        .groups_of_token = 2,
        .group_best = 5},
        {.tokens = 9, .experts = 64, .top_k = 4, .groups = 32, .groups_of_token = 2},
        {.tokens = 6, .experts = 6, .top_k = 6, .groups = 3, .groups_of_token = 3}}) {
    for (const ScoreFunction function : {ScoreFunction::softmax, ScoreFunction::sigmoid}) {
      RouterShape s = sizes;
      s.score_function = function;
      const auto logits = normal(s.tokens * s.experts, 1, 2.0), bias = normal(s.experts, 2, 0.1);
      const Routed got = route(s, logits, bias);
      RouterShape anywhere = s;
      anywhere.groups = anywhere.groups_of_token = 0;
      const Routed free = route(anywhere, logits, bias);
      for (std::size_t n = 0; n < s.tokens; ++n) {
        auto keys = ref::router_scores(row(ref::widen(logits), n, s.experts),
                                       function == ScoreFunction::softmax);
        for (std::size_t e = 0; e < s.experts; ++e) keys[e] += bias[e];
        const auto choice = row(got.choice, n, s.top_k);
        EXPECT_EQ(Choices(choice.begin(), choice.end()), choice_in_groups(s, keys))
            << "token " << n;
        const auto of_any = row(free.choice, n, s.top_k);
        if (!std::equal(choice.begin(), choice.end(), of_any.begin())) ++limited;
      }
    }
  }
  EXPECT_GT(limited, 100U);
}

// A group with NaN among its best experts comes last; of equal groups the lower one comes first.
TEST(RouterGroupsTest, GroupsWithNanComeLast) {
  const RouterShape s{.tokens = 3,
                      .experts = 4,
                      .top_k = 2,
                      .score_function = ScoreFunction::sigmoid,
                      .groups = 2,
                      .groups_of_token = 1};
  const Routed r = route(s, {kNan, 9, -1, 0, /*second*/ kNan, kNan, kNan, 5, /*third*/ 1, 2, 2, 1});
  EXPECT_EQ(r.choice, (Choices{3, 2, 0, 1, 1, 0}));
}

TEST(RouterEdgesTest, FixedChoicesAreTaken) {
  const RouterShape s{.tokens = 2, .experts = 4, .top_k = 2, .normalise = true};
  const Choices fixed{3, 0, 2, 9};
  const Routed r = route(s, {0, 0, 0, 0, /*second*/ 5, 1, 1, 1}, {}, fixed);
  EXPECT_EQ(r.choice, fixed);
  EXPECT_EQ(r.weight, (std::vector<float>{0.5F, 0.5F, 1, 0}));
  EXPECT_EQ(r.loads, (std::vector<std::int64_t>{1, 0, 1, 1}));
}

TEST(RouterEdgesTest, PaddingGoesToNoExpert) {
  const RouterShape s{.tokens = 3, .experts = 4, .top_k = 2};
  const std::vector<float> logits = normal(12, 5);
  for (const Choices& fixed : {Choices{}, Choices{3, 0, 2, 1, 1, 0}}) {
    const Routed plain = route(s, logits, {}, fixed), r = route(s, logits, {}, fixed, {0, 1, 0});
    for (const std::size_t slot : {0, 1, 4, 5}) {
      EXPECT_EQ(r.choice[slot], plain.choice[slot]);
      EXPECT_EQ(r.weight[slot], plain.weight[slot]);
    }
    for (const std::size_t slot : {2, 3}) {
      EXPECT_EQ(r.choice[slot], 4);
      EXPECT_EQ(r.weight[slot], 0);
      EXPECT_EQ(r.affinity[slot], 0);
    }
    EXPECT_EQ(std::accumulate(r.loads.begin(), r.loads.end(), std::int64_t{0}), 4);
  }
}

TEST(RouterEdgesTest, EvenChoicesAreTakenInTurnAndWeighedByTheirScores) {
  const RouterShape s{.tokens = 3, .experts = 3, .top_k = 2, .normalise = true};
  const std::vector<float> logits{9, 0, 0, /*second*/ 0, 9, 0, /*third*/ 0, 0, 0};
  Routed r{Choices(6, -7), std::vector<float>(6, kNan), {}, std::vector<std::int64_t>(3, -7)};
  cpu::route({.shape = s,
              .logits = logits.data(),
              .even = true,
              .choice = r.choice.data(),
              .weight = r.weight.data(),
              .loads = r.loads.data()});
  EXPECT_EQ(r.choice, (Choices{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(r.loads, (std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_NEAR(r.weight[0], 1 / (1 + std::exp(-9.0)), 1e-6);
  EXPECT_EQ(std::vector<float>(r.weight.begin() + 2, r.weight.end()), std::vector<float>(4, 0.5F));
}

TEST(RouterEdgesTest, ADroppedChoiceHasNoGradient) {
  const RouterShape s{.tokens = 1, .experts = 3, .top_k = 2};
  const std::vector<float> logits{0.5F, -1, 2}, dweight{1, kNan};
  const Choices choice{2, 3};
  std::vector<float> got(3, kNan);
  cpu::route_gradient({.shape = s,
                       .logits = logits.data(),
                       .choice = choice.data(),
                       .dweight = dweight.data(),
                       .dlogits = got.data()});
  const auto p = ref::router_scores(ref::widen(logits), true);
  EXPECT_TRUE(testing::all_close(
      got, std::vector<double>{-p[0] * p[2], -p[1] * p[2], p[2] - p[2] * p[2]}, 1e-5));
}

TEST(RouterEdgesTest, NoTokens) {
  const RouterShape s{.tokens = 0, .experts = 3, .top_k = 2};
  EXPECT_EQ(route(s, {}).loads, std::vector<std::int64_t>(3));
}

}  // namespace
}  // namespace megascale::kernels
