#include "megascale/kernels/cpu/routed_rows.h"

#include <cmath>
#include <tuple>

#include "kernels/every_setup.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::kNan;
using testing::kUnit;
using testing::normal;
using testing::Outputs;
using testing::run_every_setup;
using Indices = std::vector<std::int32_t>;

// A map like those of dispatch_map(): every third slot is dropped, the others are permuted.
struct Map {
  Indices source, place;
  Map(std::size_t slots, bool drops) : place(slots, -1) {
    for (std::size_t i = 0; i < slots; ++i) {
      const std::size_t slot = (i * 7 + 3) % slots;
      if (place[slot] >= 0 || (drops && slot % 3 == 1)) continue;
      place[slot] = static_cast<std::int32_t>(source.size());
      source.push_back(static_cast<std::int32_t>(slot));
    }
  }
};

// Tokens, choices per token, channels; the last is large enough for a team of threads.
class RoutedRowsTest
    : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(Shapes, RoutedRowsTest,
                         ::testing::Values(std::tuple{1, 1, 1}, std::tuple{3, 2, 15},
                                           std::tuple{5, 3, 17}, std::tuple{1001, 1, 1},
                                           std::tuple{301, 3, 129}));

TEST_P(RoutedRowsTest, GatherFollowsTheMap) {
  const std::size_t tokens = std::get<0>(GetParam()), top_k = std::get<1>(GetParam()),
                    channels = std::get<2>(GetParam());
  const Map map(tokens * top_k, true);
  const auto x = normal(tokens * channels, 1), weight = normal(tokens * top_k, 2);
  const std::size_t rows = map.source.size();
  const Outputs got = run_every_setup([&] {
    Outputs y{std::vector<float>((rows + 1) * channels, kNan),
              std::vector<float>((rows + 1) * channels, kNan)};
    cpu::GatherRows args{.rows = rows,
                         .per_token = top_k,
                         .channels = channels,
                         .x = x.data(),
                         .source = map.source.data(),
                         .y = y[0].data()};
    cpu::gather_rows(args);
    args.weight = weight.data();
    args.y = y[1].data();
    cpu::gather_rows(args);
    return y;
  });
  for (std::size_t i = 0; i < rows; ++i) {
    const auto slot = static_cast<std::size_t>(map.source[i]);
    for (std::size_t c = 0; c < channels; ++c) {
      const float want = x[slot / top_k * channels + c];
      EXPECT_EQ(got[0][i * channels + c], want);
      EXPECT_EQ(got[1][i * channels + c], want * weight[slot]);
    }
  }
  EXPECT_TRUE(std::isnan(got[0].back()) && std::isnan(got[1].back())) << "wrote behind the rows";
}

TEST_P(RoutedRowsTest, CombineSumsTheRowsOfAToken) {
  const std::size_t tokens = std::get<0>(GetParam()), top_k = std::get<1>(GetParam()),
                    channels = std::get<2>(GetParam());
  const Map map(tokens * top_k, true);
  const auto x = normal(map.source.size() * channels + 1, 3), weight = normal(tokens * top_k, 4),
             before = normal(tokens * channels, 5);
  for (const bool weighted : {false, true}) {
    const Outputs got = run_every_setup([&] {
      Outputs y{std::vector<float>(tokens * channels, kNan), before};
      cpu::CombineRows args{.tokens = tokens,
                            .per_token = top_k,
                            .channels = channels,
                            .x = x.data(),
                            .place = map.place.data(),
                            .weight = weighted ? weight.data() : nullptr,
                            .y = y[0].data()};
      cpu::combine_rows(args);
      args.y = y[1].data();
      args.accumulate = true;
      cpu::combine_rows(args);
      return y;
    });
    for (std::size_t n = 0; n < tokens; ++n) {
      for (std::size_t c = 0; c < channels; ++c) {
        double want = 0, size = 0;
        for (std::size_t j = n * top_k; j < (n + 1) * top_k; ++j) {
          if (map.place[j] < 0) continue;
          const double term = static_cast<double>(weighted ? weight[j] : 1.0F) *
                              x[static_cast<std::size_t>(map.place[j]) * channels + c];
          want += term;
          size += std::abs(term);
        }
        const double bound = 2 * static_cast<double>(top_k) * kUnit, old = before[n * channels + c];
        EXPECT_LE(std::abs(got[0][n * channels + c] - want), bound * size);
        EXPECT_LE(std::abs(got[1][n * channels + c] - want - old),
                  (bound + 2 * kUnit) * (size + std::abs(old)));
      }
    }
  }
}

// The gradient of each function is the other one: <gather(x), y> = <x, combine(y)> for all x, y.
// The gradient of the weights is the derivative of <combine(x), dy>, which is linear in them.
TEST_P(RoutedRowsTest, EachIsTheGradientOfTheOther) {
  const std::size_t tokens = std::get<0>(GetParam()), top_k = std::get<1>(GetParam()),
                    channels = std::get<2>(GetParam());
  const Map map(tokens * top_k, true);
  const std::size_t rows = map.source.size();
  const auto x = normal(tokens * channels, 6), y = normal(rows * channels + 1, 7),
             weight = normal(tokens * top_k, 8);
  std::vector<float> gathered(rows * channels + 1, kNan), combined(x.size(), kNan);
  cpu::gather_rows({.rows = rows,
                    .per_token = top_k,
                    .channels = channels,
                    .x = x.data(),
                    .source = map.source.data(),
                    .weight = weight.data(),
                    .y = gathered.data()});
  cpu::combine_rows({.tokens = tokens,
                     .per_token = top_k,
                     .channels = channels,
                     .x = y.data(),
                     .place = map.place.data(),
                     .weight = weight.data(),
                     .y = combined.data()});
  const Outputs dweight = run_every_setup([&] {
    Outputs out{std::vector<float>(tokens * top_k, kNan)};
    cpu::combine_weight_gradient({.tokens = tokens,
                                  .per_token = top_k,
                                  .channels = channels,
                                  .dy = x.data(),
                                  .x = y.data(),
                                  .place = map.place.data(),
                                  .dweight = out[0].data()});
    return out;
  });
  double left = 0, right = 0, by_weights = 0, size = 0;
  for (std::size_t i = 0; i < rows * channels; ++i) {
    left += static_cast<double>(gathered[i]) * y[i];
    size += std::abs(static_cast<double>(gathered[i]) * y[i]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) right += static_cast<double>(x[i]) * combined[i];
  for (std::size_t j = 0; j < weight.size(); ++j)
    by_weights += static_cast<double>(dweight[0][j]) * weight[j];
  EXPECT_NEAR(left, right, 1e-6 * size);
  EXPECT_NEAR(left, by_weights, 1e-5 * size);
  for (std::size_t j = 0; j < weight.size(); ++j)
    if (map.place[j] < 0) {
      EXPECT_EQ(dweight[0][j], 0.0F);
    }
}

// Weights move to rows and their gradients back; rows move to another order and back.
TEST(RoutedRowsUsesTest, WeightsAndOrders) {
  const Map map(12, true), order(12, false);
  const auto weight = normal(12, 9);
  std::vector<float> rows(map.source.size(), kNan), back(12, kNan);
  cpu::gather_rows({.rows = rows.size(),
                    .channels = 1,
                    .x = weight.data(),
                    .source = map.source.data(),
                    .y = rows.data()});
  cpu::combine_rows(
      {.tokens = 12, .channels = 1, .x = rows.data(), .place = map.place.data(), .y = back.data()});
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(back[i], map.place[i] < 0 ? 0.0F : weight[i]);
  std::vector<float> there(12, kNan), again(12, kNan);
  cpu::gather_rows({.rows = 12,
                    .channels = 1,
                    .x = weight.data(),
                    .source = order.source.data(),
                    .y = there.data()});
  cpu::gather_rows({.rows = 12,
                    .channels = 1,
                    .x = there.data(),
                    .source = order.place.data(),
                    .y = again.data()});
  EXPECT_NE(there, weight);
  EXPECT_EQ(again, weight);
}

TEST(RoutedRowsUsesTest, NoRowsAndNoTokens) {
  cpu::gather_rows({.rows = 0, .channels = 4});
  cpu::combine_rows({.tokens = 0, .per_token = 2, .channels = 4});
  const Indices none{-1, -1};
  std::vector<float> y(3, kNan);
  cpu::combine_rows(
      {.tokens = 1, .per_token = 2, .channels = 3, .place = none.data(), .y = y.data()});
  EXPECT_EQ(y, std::vector<float>(3));
}

}  // namespace
}  // namespace megascale::kernels
