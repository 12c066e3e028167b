#include "megascale/kernels/cpu/router_losses.h"

#include <cmath>
#include <numeric>
#include <set>
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
using Counts = std::vector<std::int64_t>;

std::pair<double, double> losses_of(const RouterLosses& args) {
  std::vector<double> scratch(
      cpu::router_losses_scratch_bytes(args.shape.tokens) / sizeof(double) + 1, NAN);
  double got[2] = {NAN, NAN};
  cpu::router_losses(args, got, reinterpret_cast<std::byte*>(scratch.data()));
  EXPECT_TRUE(std::isnan(scratch.back())) << "written behind the scratch";
  return {got[0], got[1]};
}

// A case with two ranks and groups of two experts where the number of experts is even.
struct LossCase {
  std::vector<float> logits;
  Counts loads, sent;
  RouterLosses args;
  std::vector<double> coefficients;  // by the definition

  LossCase(std::size_t tokens, std::size_t experts, ScoreFunction score)
      : logits(normal(tokens * experts, 11, 2.0)) {
    const std::size_t groups = experts % 2 == 0 ? experts / 2 : 0, top_k = experts >= 4 ? 2 : 1;
    for (std::size_t i = 0; i < 2 * experts; ++i)
      loads.push_back(static_cast<std::int64_t>(i * 37 % 11 * top_k));
    for (std::size_t i = 0; i < 2 * groups; ++i)
      sent.push_back(static_cast<std::int64_t>(i * 13 % 7));
    args = {
        .shape = {.tokens = tokens, .experts = experts, .top_k = top_k, .score_function = score},
        .logits = logits.data(),
        .ranks = 2,
        .loads = loads.data(),
        .expert_coefficient = 0.3,
        .z_coefficient = 0.01,
        .groups = groups,
        .sent = sent.data(),
        .device_coefficient = 0.5,
        .communication_coefficient = 0.7};
    const double e = static_cast<double>(experts), k = static_cast<double>(top_k),
                 d = static_cast<double>(groups);
    const double total = static_cast<double>(std::accumulate(loads.begin(), loads.end(), 0L)) / k;
    std::vector<double> f(experts);
    for (std::size_t i = 0; i < experts; ++i)
      f[i] = total == 0 ? 0 : e * static_cast<double>(loads[i] + loads[experts + i]) / (k * total);
    for (std::size_t i = 0; i < experts; ++i) {
      double c = 0.3 * f[i];
      if (groups > 0 && total > 0) {
        const std::size_t g = i / 2;
        c += 0.5 * (f[2 * g] + f[2 * g + 1]) / 2;
        c += 0.7 * d * static_cast<double>(sent[g] + sent[groups + g]) / (std::min(k, d) * total);
      }
      coefficients.push_back(c);
    }
  }
};

class RouterLossesTest : public ::testing::TestWithParam<
                             std::tuple<std::tuple<std::size_t, std::size_t>, ScoreFunction>> {
 protected:
  [[nodiscard]] static LossCase make() {
    const auto& [sizes, score] = GetParam();
    return {std::get<0>(sizes), std::get<1>(sizes), score};
  }
  [[nodiscard]] static bool softmax() { return std::get<1>(GetParam()) == ScoreFunction::softmax; }
};
INSTANTIATE_TEST_SUITE_P(
    Shapes, RouterLossesTest,
    ::testing::Combine(::testing::Values(std::tuple{1, 1}, std::tuple{3, 8}, std::tuple{5, 17},
                                         std::tuple{67, 64}, std::tuple{150, 130}),
                       ::testing::Values(ScoreFunction::softmax, ScoreFunction::sigmoid)));

TEST_P(RouterLossesTest, ValuesMeetTheirBound) {
  const LossCase one = make();
  const std::size_t experts = one.args.shape.experts;
  const Outputs got = run_every_setup([&] {
    const auto [balance, z] = losses_of(one.args);
    return Outputs{{static_cast<float>(balance), static_cast<float>(z)}};
  });
  const auto [balance, z] = losses_of(one.args);
  EXPECT_FLOAT_EQ(static_cast<float>(balance), got[0][0]);
  const auto wide = ref::widen(one.logits);
  double want_balance = 0, want_z = 0;
  for (std::size_t n = 0; n < one.args.shape.tokens; ++n) {
    const std::span<const double> row(wide.data() + n * experts, experts);
    want_balance += ref::balance_loss(row, one.coefficients, softmax());
    want_z += 0.01 * ref::z_loss(row);
  }
  const double bound = kUnit * (static_cast<double>(experts) / 64 + 60);
  EXPECT_NEAR(balance, want_balance, bound * want_balance);
  EXPECT_NEAR(z, want_z, 2 * bound * want_z);
}

TEST_P(RouterLossesTest, GradientIsTheFiniteDifference) {
  const LossCase one = make();
  const std::size_t experts = one.args.shape.experts;
  const auto addend = normal(one.logits.size(), 12);
  const Outputs got = run_every_setup([&] {
    Outputs out{std::vector<float>(one.logits.size(), kNan),
                std::vector<float>(one.logits.size(), kNan), addend};
    cpu::router_losses_gradient(one.args, nullptr, out[0].data());
    cpu::router_losses_gradient(one.args, addend.data(), out[1].data());
    cpu::router_losses_gradient(one.args, out[2].data(), out[2].data());
    return out;
  });
  EXPECT_TRUE(testing::same_bits(Outputs{got[1]}, Outputs{got[2]})) << "in place";
  auto wide = ref::widen(one.logits);
  for (std::size_t n = 0; n < one.args.shape.tokens; ++n) {
    const std::span<const double> row(wide.data() + n * experts, experts);
    const auto loss = [&] {
      return ref::balance_loss(row, one.coefficients, softmax()) + 0.01 * ref::z_loss(row);
    };
    for (std::size_t i = n * experts; i < (n + 1) * experts; ++i) {
      const double x = wide[i], h = 1e-5;
      wide[i] = x + h;
      double slope = loss();
      wide[i] = x - h;
      slope = (slope - loss()) / (2 * h);
      wide[i] = x;
      EXPECT_NEAR(got[0][i], slope, 2e-6 + 1e-5 * std::abs(slope)) << "token " << n;
      EXPECT_NEAR(got[1][i], slope + addend[i], 3e-6) << "token " << n;
    }
  }
}

// The losses of two ranks are those of one rank with all tokens.
TEST(RouterLossesLayoutTest, ValuesAddUpAndGradientsAreEqual) {
  const LossCase one(64, 8, ScoreFunction::softmax);
  std::vector<float> whole(one.logits.size(), kNan), parts(one.logits.size(), kNan);
  cpu::router_losses_gradient(one.args, nullptr, whole.data());
  const auto [balance, z] = losses_of(one.args);
  double sum_balance = 0, sum_z = 0;
  for (const std::size_t rank : {0, 1}) {
    RouterLosses half = one.args;
    half.shape.tokens = 32;
    half.logits += rank * 32 * 8;
    const auto [b, zz] = losses_of(half);
    sum_balance += b;
    sum_z += zz;
    cpu::router_losses_gradient(half, nullptr, parts.data() + rank * 32 * 8);
  }
  EXPECT_TRUE(testing::same_bits(Outputs{whole}, Outputs{parts}));
  EXPECT_NEAR(sum_balance, balance, 1e-12 * balance);
  EXPECT_NEAR(sum_z, z, 1e-12 * z);
}

// Padding has no losses and no gradient; what the loss of the model counts is the weight of all losses.
TEST(RouterLossesLayoutTest, PaddingIsLeftOutAndTheCountWeighs) {
  LossCase one(6, 8, ScoreFunction::softmax);
  std::vector<std::int32_t> choice(12, 3);
  RouterLosses first = one.args;
  first.shape.tokens = 4;
  const auto [balance, z] = losses_of(first);
  choice[8] = choice[9] = 8;
  choice[10] = choice[11] = -1;
  one.args.choice = choice.data();
  EXPECT_EQ(losses_of(one.args), (std::pair{balance, z}));
  const std::vector<float> addend = normal(48, 7);
  std::vector<float> plain(48, kNan), added(48, kNan), alias = addend, of_first(32, kNan);
  cpu::router_losses_gradient(one.args, nullptr, plain.data());
  cpu::router_losses_gradient(one.args, addend.data(), added.data());
  cpu::router_losses_gradient(one.args, alias.data(), alias.data());
  cpu::router_losses_gradient(first, nullptr, of_first.data());
  EXPECT_TRUE(testing::same_bits(Outputs{{plain.begin(), plain.begin() + 32}}, Outputs{of_first}));
  EXPECT_TRUE(testing::same_bits(Outputs{added}, Outputs{alias}));
  for (std::size_t i = 32; i < 48; ++i) {
    EXPECT_EQ(plain[i], 0);
    EXPECT_EQ(added[i], addend[i]);
  }
  const auto choices = std::accumulate(one.loads.begin(), one.loads.end(), std::int64_t{0});
  const std::int64_t counted = choices / 2 / 4;  // a quarter of the tokens of both ranks, top-2
  one.args.counted = &counted;
  const double weight = static_cast<double>(counted) / (static_cast<double>(choices) / 2);
  const auto [less, less_z] = losses_of(one.args);
  EXPECT_NEAR(less, weight * balance, 1e-6 * balance);
  EXPECT_NEAR(less_z, weight * z, 1e-6 * z);
  std::vector<float> weighed(48, kNan);
  cpu::router_losses_gradient(one.args, nullptr, weighed.data());
  for (std::size_t i = 0; i < 48; ++i) EXPECT_NEAR(weighed[i], weight * plain[i], 1e-6);
}

// With even loads every f is 1, so the loss of a token is the sum of the coefficients, and its
// gradient vanishes.
TEST(RouterLossesLayoutTest, EvenLoadsHaveNoGradient) {
  LossCase one(6, 8, ScoreFunction::sigmoid);
  one.loads = Counts(16, 12);  // k T = 192, T = 96
  one.sent = Counts(8, 24);    // min(k, D) T / D = 48 for both ranks
  one.args.loads = one.loads.data();
  one.args.sent = one.sent.data();
  one.args.z_coefficient = 0;
  EXPECT_NEAR(losses_of(one.args).first, 6 * (0.3 + 0.5 + 0.7), 1e-5);
  std::vector<float> gradient(48, kNan);
  cpu::router_losses_gradient(one.args, nullptr, gradient.data());
  for (const float g : gradient) EXPECT_NEAR(g, 0, 1e-6);
}

TEST(RouterLossesLayoutTest, NothingRoutedAndNoTokens) {
  LossCase one(3, 8, ScoreFunction::softmax);
  one.loads = Counts(16, 0);
  one.args.loads = one.loads.data();
  one.args.z_coefficient = 0;
  EXPECT_EQ(losses_of(one.args), (std::pair{0.0, 0.0}));
  one.args.shape.tokens = 0;
  EXPECT_EQ(losses_of(one.args), (std::pair{0.0, 0.0}));
}

TEST(RouterLossesLayoutTest, ANanShows) {
  LossCase one(3, 8, ScoreFunction::sigmoid);
  one.logits[9] = kNan;
  one.args.logits = one.logits.data();
  EXPECT_TRUE(std::isnan(losses_of(one.args).first));
  EXPECT_TRUE(std::isnan(losses_of(one.args).second));
}

TEST(GroupLoadsTest, CountEachTokenOncePerGroup) {
  const std::vector<std::int32_t> choice{0, 1, 5, /**/ 2, 7, 3, /**/ 4, 8, -1};
  Counts sent(4, -7);
  cpu::group_loads({.tokens = 3,
                    .experts = 8,
                    .top_k = 3,
                    .groups = 4,
                    .choice = choice.data(),
                    .sent = sent.data()});
  EXPECT_EQ(sent, (Counts{1, 1, 2, 1}));
}

TEST(ChoiceBiasTest, MovesTowardsEvenLoads) {
  const Counts first{3, 0, 2, 1}, second{1, 0, 2, 3};  // sums 4, 0, 4, 4; mean 3
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> excess(4, nan), bias{0, 1, -1, 2};
  cpu::load_excess(first.data(), 4, /*accumulate=*/false, excess.data());
  EXPECT_EQ(excess, (std::vector<float>{6, -6, 2, -2}));
  cpu::load_excess(second.data(), 4, /*accumulate=*/true, excess.data());
  EXPECT_EQ(excess, (std::vector<float>{4, -12, 4, 4}));
  cpu::update_choice_bias(excess.data(), 4, 0.5F, bias.data());
  EXPECT_EQ(bias, (std::vector<float>{-0.5F, 1.5F, -1.5F, 1.5F}));
  excess = {0, nan, 0, 0};
  cpu::update_choice_bias(excess.data(), 4, 0.5F, bias.data());
  EXPECT_EQ(bias, (std::vector<float>{-0.5F, 1.5F, -1.5F, 1.5F}));
}

}  // namespace
}  // namespace megascale::kernels
