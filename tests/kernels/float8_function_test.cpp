// The task functions of 8-bit products: rounding of operands against its definition in double
// precision, and weights of choices behind the products against finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/nearest_e4m3.h"
#include "kernels/operation.h"
#include "megascale/graph/ops/float8_ops.h"
#include "megascale/graph/ops/ops.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

namespace attribute = graph::attribute;

using graph::Float8Scales;
using testing::nearest_e4m3;
using testing::normal;
using testing::Operation;
using testing::weighted_sum;

constexpr float kPoison8 = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kWidth8 = 20;

// An operand of integers, in memory of float32.
template <class Integer>
std::vector<float> as_floats(const std::vector<Integer>& values) {
  std::vector<float> memory(values.size() * sizeof(Integer) / sizeof(float));
  std::memcpy(memory.data(), values.data(), values.size() * sizeof(Integer));
  return memory;
}

struct RoundingCase {
  std::vector<std::int64_t> blocks;  // rows of each
  Float8Scales scales;
  bool is_stack, is_counted;
};

TEST(RoundFloat8FunctionTest, EveryValueIsTheNearestOneOfItsGroup) {
  const std::vector<RoundingCase> cases{
      {{7}, Float8Scales::by_row, false, false},
      {{300}, Float8Scales::by_column, false, false},
      {{9}, Float8Scales::whole, false, false},
      {{130, 130, 130}, Float8Scales::by_column, true, false},
      {{5, 5}, Float8Scales::whole, true, false},
      {{5, 5}, Float8Scales::by_row, true, false},
      {{3, 0, 200, 1}, Float8Scales::by_column, false, true},
  };
  for (const RoundingCase& one : cases) {
    SCOPED_TRACE(::testing::Message() << one.blocks.size() << " blocks, scales "
                                      << static_cast<std::int64_t>(one.scales));
    std::size_t rows = 0;
    for (const std::int64_t block : one.blocks) rows += static_cast<std::size_t>(block);
    auto x = normal(rows * kWidth8, 3);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::ldexp(x[i], static_cast<int>(i % kWidth8 + i / kWidth8 * 5 % 17) - 12);
    const auto n = static_cast<std::int64_t>(one.blocks.size());
    const graph::Shape shape =
        one.is_stack ? graph::Shape{n, one.blocks[0], std::int64_t{kWidth8}}
                     : graph::Shape{static_cast<std::int64_t>(rows), std::int64_t{kWidth8}};
    Operation rounding(
        graph::round_float8_op(), {shape, one.is_counted ? graph::Shape{n} : graph::Shape{}, shape},
        {{attribute::scales, static_cast<std::int64_t>(one.scales)}, {attribute::ranks, n}});
    std::vector<float> y(x.size(), kPoison8), counts = as_floats(one.blocks);
    rounding.run({&x, one.is_counted ? &counts : nullptr, &y}, true);
    std::size_t first = 0;
    for (const std::int64_t block : one.blocks) {
      const auto size = static_cast<std::size_t>(block);
      const auto is_same_group = [&](std::size_t r, std::size_t c, std::size_t row,
                                     std::size_t column) {
        if (one.scales == Float8Scales::by_row) return r == row;
        if (one.scales == Float8Scales::by_column) return c == column && r / 128 == row / 128;
        return true;
      };
      for (std::size_t row = 0; row < size; row += 3) {
        for (std::size_t column = 0; column < kWidth8; ++column) {
          double most = 0;
          for (std::size_t r = 0; r < size; ++r) {
            for (std::size_t c = 0; c < kWidth8; ++c) {
              if (is_same_group(r, c, row, column))
                most = std::max(most, std::abs(double{x[(first + r) * kWidth8 + c]}));
            }
          }
          const std::size_t i = (first + row) * kWidth8 + column;
          const double want = nearest_e4m3(x[i], most / 448);
          ASSERT_LE(std::abs(double{y[i]} - x[i]), std::abs(want - x[i]) + 1e-6 * std::abs(x[i]))
              << i;
        }
      }
      first += size;
    }
  }
}

// The counts of a step say which rows travel. The scale must not depend on the rows behind them.
TEST(PackFloat8FunctionTest, OneScaleIsThatOfTheCountedRows) {
  const std::vector<std::int64_t> blocks{3, 0, 2};
  constexpr std::size_t kRoom = 7, kCounted = 5;
  auto x = normal(kRoom * kWidth8, 4);
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::ldexp(x[i], i < kCounted * kWidth8 ? -static_cast<int>(i / kWidth8) * 3 : 90);
    if (i < kCounted * kWidth8) most = std::max(most, std::abs(double{x[i]}));
  }
  const graph::Shape rows{std::int64_t{kRoom}, std::int64_t{kWidth8}}, counted{3},
      bytes{std::int64_t{kRoom}, std::int64_t{kWidth8 + 4}};
  const graph::Attributes attributes{
      {attribute::scales, static_cast<std::int64_t>(Float8Scales::by_row)},
      {attribute::ranks, std::int64_t{3}},
      {attribute::one_scale, std::int64_t{1}}};
  std::vector<float> counts = as_floats(blocks), packed(kRoom * (kWidth8 + 4) / 4, kPoison8),
                     y(x.size(), kPoison8);
  Operation(graph::pack_float8_op(), {rows, counted, {}, bytes}, attributes)
      .run({&x, &counts, nullptr, &packed}, true);
  Operation(graph::unpack_float8_op(), {bytes, counted, rows}, attributes)
      .run({&packed, &counts, &y}, true);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i >= kCounted * kWidth8) {
      ASSERT_TRUE(std::isnan(y[i])) << i;
      continue;
    }
    const double want = nearest_e4m3(x[i], most / 448);
    ASSERT_NEAR(y[i], want, 1e-6 * std::abs(want)) << i;
  }
}

// A value that is not finite must not become 448 times a scale.
TEST(RoundFloat8FunctionTest, NotFiniteStaysVisible) {
  for (const float bad : {kPoison8, std::numeric_limits<float>::infinity()}) {
    for (const Float8Scales scales :
         {Float8Scales::by_row, Float8Scales::by_column, Float8Scales::whole}) {
      std::vector<float> x(3 * kWidth8, 1.0F), y(x.size(), 7);
      x[kWidth8 + 4] = bad;
      const graph::Shape shape{3, std::int64_t{kWidth8}};
      Operation rounding(graph::round_float8_op(), {shape, {}, shape},
                         {{attribute::scales, static_cast<std::int64_t>(scales)},
                          {attribute::ranks, std::int64_t{1}}});
      rounding.run({&x, nullptr, &y}, true);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool broken = scales == Float8Scales::whole ||
                            (scales == Float8Scales::by_row ? i / kWidth8 == 1 : i % kWidth8 == 4);
        EXPECT_EQ(std::isnan(y[i]), broken) << i;
      }
    }
  }
}

// Tokens 0, 1, 2 with two choices each, of which one has no row here.
TEST(CombineWeightedRowsFunctionTest, GradientsAreThoseOfFiniteDifferences) {
  constexpr std::int64_t kTokens = 3, kTopK = 2, kRows = 5, kColumns = 7;
  std::vector<float> source = as_floats(std::vector<std::int32_t>{4, 0, 5, 3, 1}),
                     place = as_floats(std::vector<std::int32_t>{1, 4, -1, 3, 0, 2}),
                     sent = as_floats(std::vector<std::int64_t>{5});
  auto x = normal(kRows * kColumns, 1), weights = normal(kTokens * kTopK, 2),
       dy = normal(kTokens * kColumns, 3);
  Operation forward(
      graph::combine_weighted_rows_op(),
      {{kRows, kColumns}, {kTokens, kTopK}, {kRows}, {kTokens, kTopK}, {1}, {kTokens, kColumns}});
  Operation backward(graph::combine_weighted_rows_gradient_op(), {{kTokens, kColumns},
                                                                  {kRows, kColumns},
                                                                  {kTokens, kTopK},
                                                                  {kRows},
                                                                  {kTokens, kTopK},
                                                                  {1},
                                                                  {kRows, kColumns},
                                                                  {kTokens, kTopK}});
  const auto loss_now = [&] {
    std::vector<float> y(kTokens * kColumns, kPoison8);
    forward.run({&x, &weights, &source, &place, &sent, &y}, true);
    return weighted_sum(y, dy);
  };
  std::vector<float> dx(x.size(), kPoison8), dweights(weights.size(), kPoison8);
  backward.run({&dy, &x, &weights, &source, &place, &sent, &dx, &dweights}, true);
  // y is linear in either: the step may be large, and rounding of y is all that remains.
  const auto expect_slopes = [&](std::vector<float>& moved, const std::vector<float>& gradient) {
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const float middle = moved[i];
      moved[i] = middle + 0.5F;
      const double above = loss_now(), width_above = moved[i];
      moved[i] = middle - 0.5F;
      const double below = loss_now(), width_below = moved[i];
      moved[i] = middle;
      EXPECT_NEAR(gradient[i], (above - below) / (width_above - width_below), 1e-5) << i;
    }
  };
  expect_slopes(x, dx);
  expect_slopes(weights, dweights);
  EXPECT_EQ(dweights[2], 0.0F) << "a choice without a row";
}

}  // namespace
}  // namespace megascale::kernels
