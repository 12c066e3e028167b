#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/dense_support.h"
#include "megascale/kernels/cpu/matrix_unit/part.h"
#include "megascale/kernels/cpu/matrix_unit/product.h"
#include "megascale/kernels/cpu/matrix_unit/unit.h"
#include "megascale/kernels/cpu/team.h"
#include "support/close.h"

// The products themselves, of any size; kernels/gemm_test.cpp has them as parts of linear layers.
namespace megascale::kernels {
namespace {

using cpu::ProductShape;
using cpu::TeamSize;

class MatrixUnitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cpu::matrix_unit_available()) GTEST_SKIP() << "this processor has no matrix unit";
  }
};

struct Order {
  bool left_by_columns, right_by_columns;  // which index is contiguous
};

ProductShape shape_of(std::size_t m, std::size_t n, std::size_t k, Order order) {
  return {.m = m,
          .n = n,
          .k = k,
          .left_row = order.left_by_columns ? 1 : k,
          .left_column = order.left_by_columns ? m : 1,
          .right_row = order.right_by_columns ? 1 : n,
          .right_column = order.right_by_columns ? k : 1,
          .result_row = n};
}

std::vector<float> multiply(const ProductShape& s, const std::vector<float>& left,
                            const std::vector<float>& right, std::size_t threads = 1) {
  const TeamSize team(threads);
  std::vector<float> result(s.m * s.n, NAN);
  const testing::PoisonedScratch scratch(cpu::split_scratch_bytes(s, threads));
  cpu::split_product(s,
                     {.left = left.data(),
                      .right = right.data(),
                      .result = result.data(),
                      .scratch = scratch.data()},
                     threads);
  EXPECT_TRUE(scratch.guard_is_whole());
  return result;
}

// The largest error of an element over u sum |left| |right|, u = 2^-24.
double worst_error(const ProductShape& s, const std::vector<float>& left,
                   const std::vector<float>& right, const std::vector<float>& got) {
  double worst = 0;
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      double want = 0, size = 0;
      for (std::size_t k = 0; k < s.k; ++k) {
        const double term = static_cast<double>(left[i * s.left_row + k * s.left_column]) *
                            right[k * s.right_row + j * s.right_column];
        want += term;
        size += std::abs(term);
      }
      const double error = std::abs(got[i * s.n + j] - want) / (size * 0x1p-24);
      worst = std::isnan(error) ? error : std::max(worst, error);
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

// Goal: no part of an operand and none of the six products is left out or taken twice: without the
// third part of one operand the error would be about 2^-17, 128 u. Rounding alone stays near 2 u,
// far below the documented (K + 2) u.
TEST_F(MatrixUnitTest, IsAsExactAsFloat32) {
  struct Extents {
    std::size_t m, n, k;
  };
  for (const Extents e :
       {Extents{1, 1, 1}, {16, 16, 32}, {33, 70, 65}, {40, 31, 800}, {5, 33, 1700}}) {
    for (const Order order : {Order{false, false}, {false, true}, {true, false}, {true, true}}) {
      for (const std::size_t threads : {1, 2, 6}) {
        const ProductShape s = shape_of(e.m, e.n, e.k, order);
        const auto left = testing::normal(s.m * s.k, 1), right = testing::normal(s.k * s.n, 2);
        EXPECT_LE(worst_error(s, left, right, multiply(s, left, right, threads)), 3.0)
            << e.m << " x " << e.n << " x " << e.k << ", " << threads << " threads";
      }
    }
  }
}

// More columns, rows and depth than are packed at a time.
TEST_F(MatrixUnitTest, LargeExtents) {
  for (const auto& [m, n, k] : {std::tuple<std::size_t, std::size_t, std::size_t>{3, 6300, 40},
                                {1100, 3, 40},
                                {3, 5, 9000}}) {
    const ProductShape s = shape_of(m, n, k, {false, true});
    const auto left = testing::normal(s.m * s.k, 1), right = testing::normal(s.k * s.n, 2);
    EXPECT_LE(worst_error(s, left, right, multiply(s, left, right, 2)), 3.0);
  }
}

// An element does not depend on the team, nor on which rows and columns are computed beside it.
TEST_F(MatrixUnitTest, BitsOfAnElementDependOnItsRowAndColumnAlone) {
  const ProductShape whole = shape_of(130, 190, 1000, {false, true});
  const auto left = testing::normal(whole.m * whole.k, 1),
             right = testing::normal(whole.k * whole.n, 2);
  const auto first = multiply(whole, left, right);
  for (const std::size_t threads : {2, 3, 4, 5})
    EXPECT_TRUE(testing::same_bits(multiply(whole, left, right, threads), first)) << threads;

  constexpr std::size_t kRow = 57, kRows = 20, kColumn = 101, kColumns = 33;
  const ProductShape part = shape_of(kRows, kColumns, whole.k, {false, true});
  const auto part_of = [](const std::vector<float>& from, std::size_t begin, std::size_t count) {
    return std::vector<float>(from.data() + begin, from.data() + begin + count);
  };
  const auto rows = part_of(left, kRow * whole.k, kRows * whole.k);
  const auto columns = part_of(right, kColumn * whole.k, kColumns * whole.k);
  const auto got = multiply(part, rows, columns);
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto want = part_of(first, (kRow + i) * whole.n + kColumn, kColumns);
    EXPECT_TRUE(testing::same_bits({got.data() + i * kColumns, kColumns}, want)) << "row " << i;
  }
}

// Parts that cover the result give the bits of the whole product, in every order of the operands,
// also if a part has more rows than it should have; elements outside the parts stay as they are.
TEST_F(MatrixUnitTest, PartsHaveTheBitsOfTheWhole) {
  for (const auto& [m, n, k] : {std::tuple<std::size_t, std::size_t, std::size_t>{70, 130, 1000},
                                {600, 70, 800},
                                {2, 40, 31}}) {
    for (const Order order : {Order{false, false}, {false, true}, {true, false}, {true, true}}) {
      for (const bool accumulate : {false, true}) {
        const ProductShape s = shape_of(m, n, k, order);
        const auto left = testing::normal(m * k, 1), right = testing::normal(k * n, 2),
                   bias = testing::normal(n, 3), old = testing::normal(m * n, 4);
        const testing::PoisonedScratch scratch(
            std::max(cpu::split_scratch_bytes(s, 1), cpu::part_scratch_bytes(s))),
            small(cpu::part_scratch_bytes(s));
        cpu::SplitOperands o{.left = left.data(),
                             .right = right.data(),
                             .bias = bias.data(),
                             .scratch = scratch.data(),
                             .accumulate = accumulate};
        std::vector<float> whole = old, parts = old;
        o.result = whole.data();
        const TeamSize team(1);
        cpu::split_product(s, o, 1);
        o.result = parts.data();
        o.scratch = small.data();
        const std::size_t row = std::min<std::size_t>(32, m), column = 32;
        cpu::split_part(s, o, {.row = 0, .rows = row, .column = 0, .columns = n});
        if (row < m) {
          cpu::split_part(s, o, {.row = row, .rows = m - row, .column = 0, .columns = column});
          EXPECT_EQ(parts[row * n + column], old[row * n + column]) << "written beside the part";
          cpu::split_part(s, o,
                          {.row = row, .rows = m - row, .column = column, .columns = n - column});
        }
        EXPECT_TRUE(testing::same_bits(parts, whole)) << m << " x " << n << " x " << k;
        EXPECT_TRUE(small.guard_is_whole());
      }
    }
  }
}

// What is not finite reaches its row of the result and no other.
TEST_F(MatrixUnitTest, WhatIsNotFiniteStaysSo) {
  const ProductShape s = shape_of(40, 40, 100, {false, true});
  const auto right = testing::normal(s.k * s.n, 2);
  for (const float bad :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    auto left = testing::normal(s.m * s.k, 1);
    left[7 * s.k + 63] = bad;
    const auto got = multiply(s, left, right);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(std::isfinite(got[i]), i / s.n != 7) << bad << " at " << i;
  }
}

// Values of every size but the very smallest and largest keep their precision.
TEST_F(MatrixUnitTest, KeepsItsPrecisionAtEveryScale) {
  const ProductShape s = shape_of(20, 20, 64, {true, false});
  for (const int exponent : {-105, -60, 0, 60, 105}) {
    auto left = testing::normal(s.m * s.k, 1), right = testing::normal(s.k * s.n, 2);
    for (float& value : left) value = std::ldexp(value, exponent);
    // Products of parts must stay above 2^-126 too.
    for (float& value : right) value = std::ldexp(value, exponent < 0 ? -exponent : -exponent / 2);
    EXPECT_LE(worst_error(s, left, right, multiply(s, left, right)), 3.0) << "2^" << exponent;
  }
}

}  // namespace
}  // namespace megascale::kernels
