#include "megascale/kernels/cpu/grouped_linear.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "kernels/dense_support.h"
#include "kernels/every_setup.h"
#include "megascale/base/error.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/ref/gemm.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using cpu::GemmKind;
using cpu::GroupedLinear;
using cpu::GroupedLinearConfig;
using cpu::TeamSize;
using testing::PoisonedScratch;
using Counts = std::vector<std::int64_t>;

constexpr GemmKind kGroupedKinds[] = {GemmKind::forward, GemmKind::input_gradient,
                                      GemmKind::weight_gradient};

std::size_t rows_of(const Counts& counts) {
  return static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0L));
}

// The products of one kind. The operands have the rows that are counted, and behind them NaN up to
// the bound.
struct GroupedCase {
  GroupedLinearConfig config;
  Counts counts;
  std::vector<float> left, right, before;

  GroupedCase(const GroupedLinearConfig& c, const Counts& rows) : config(c), counts(rows) {
    const auto x = bounded(c.in, 1), dy = bounded(c.out, 2),
               w = testing::normal(c.experts * c.in * c.out, 3);
    left = c.kind == GemmKind::forward ? x : dy;
    right = c.kind == GemmKind::weight_gradient ? x : w;
    before = std::vector<float>(result_size(), NAN);
    if (!c.accumulate) return;
    const auto old = testing::normal(counted_size(), 4);
    std::copy(old.begin(), old.end(), before.begin());
  }

  [[nodiscard]] bool of_weights() const { return config.kind == GemmKind::weight_gradient; }
  [[nodiscard]] std::size_t width() const {
    return config.kind == GemmKind::forward ? config.out : config.in;
  }
  [[nodiscard]] std::size_t result_size() const {
    return of_weights() ? config.experts * config.in * config.out : config.rows * width();
  }
  // Elements of the result that a run writes.
  [[nodiscard]] std::size_t counted_size() const {
    return of_weights() ? result_size() : rows_of(counts) * width();
  }
  [[nodiscard]] std::vector<float> bounded(std::size_t features, std::uint64_t seed) const {
    auto values = testing::normal(rows_of(counts) * features, seed);
    values.resize(config.rows * features, NAN);
    return values;
  }

  [[nodiscard]] std::vector<float> run(const GroupedLinear& product) const {
    std::vector<float> result = before;
    const PoisonedScratch scratch(product.scratch_bytes());
    product.run({.left = left.data(),
                 .right = right.data(),
                 .result = result.data(),
                 .counts = counts.data(),
                 .scratch = scratch.data()});
    EXPECT_TRUE(scratch.guard_is_whole());
    for (std::size_t i = counted_size(); i < result.size(); ++i)
      EXPECT_TRUE(std::isnan(result[i])) << "a row behind the counted ones was written";
    result.resize(counted_size());
    return result;
  }

  // The product by its definition, expert by expert; `absolute`: of absolute values.
  [[nodiscard]] std::vector<double> reference(bool absolute) const {
    const auto wide = [&](const std::vector<float>& values, std::size_t begin, std::size_t count) {
      std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(begin),
                               values.begin() + static_cast<std::ptrdiff_t>(begin + count));
      if (absolute)
        for (double& v : part) v = std::abs(v);
      return part;
    };
    std::vector<double> all;
    std::size_t row = 0;
    for (std::size_t e = 0; e < counts.size(); ++e) {
      const auto rows = static_cast<std::size_t>(counts[e]);
      const std::size_t in = config.in, out = config.out, weights = in * out;
      std::vector<double> part;
      switch (config.kind) {
        case GemmKind::forward:
          part = ref::linear(wide(left, row * in, rows * in), wide(right, e * weights, weights), {},
                             rows, in, out);
          break;
        case GemmKind::input_gradient:
          part = ref::linear_input_gradient(wide(left, row * out, rows * out),
                                            wide(right, e * weights, weights), rows, in, out);
          break;
        case GemmKind::weight_gradient:
          part = ref::linear_weight_gradient(wide(left, row * out, rows * out),
                                             wide(right, row * in, rows * in), rows, in, out);
          break;
      }
      all.insert(all.end(), part.begin(), part.end());
      row += rows;
    }
    for (std::size_t i = 0; i < all.size() && config.accumulate; ++i)
      all[i] += absolute ? std::abs(before[i]) : before[i];
    return all;
  }

  // Within the bound of gemm.h.
  [[nodiscard]] ::testing::AssertionResult check(const std::vector<float>& got) const {
    const auto want = reference(false), size = reference(true);
    if (got.size() != want.size()) return ::testing::AssertionFailure() << "size";
    const std::size_t inner = config.kind == GemmKind::forward ? config.in
                              : of_weights()                   ? rows_of(counts)
                                                               : config.out;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!(std::abs(got[i] - want[i]) <= (static_cast<double>(inner) + 5) * 0x1p-24 * size[i])) {
        return ::testing::AssertionFailure()
               << "[" << i << "] got " << got[i] << " want " << want[i];
      }
    }
    return ::testing::AssertionSuccess();
  }
};

std::string describe_grouped(const GroupedLinearConfig& c) {
  return "kind " + std::to_string(static_cast<int>(c.kind)) + " accumulate " +
         std::to_string(c.accumulate) + " threads " + std::to_string(c.threads);
}

void expect_within_bound(std::size_t in, std::size_t out, const Counts& counts,
                         std::initializer_list<std::size_t> teams) {
  for (const std::size_t threads : teams) {
    const TeamSize team(threads);
    for (const GemmKind kind : kGroupedKinds) {
      for (const bool accumulate : {false, true}) {
        const GroupedLinearConfig c{.kind = kind,
                                    .experts = counts.size(),
                                    .rows = rows_of(counts) + 3,
                                    .in = in,
                                    .out = out,
                                    .accumulate = accumulate,
                                    .threads = threads};
        const GroupedCase one(c, counts);
        EXPECT_TRUE(one.check(one.run(GroupedLinear(c)))) << describe_grouped(c);
      }
    }
  }
}

// Goal: each expert's product meets the bound of the header and nothing else is written. Method:
// double reference, odd sizes, NaN in results, behind the counted rows and in scratch.
TEST(GroupedLinearTest, SmallProductsMeetTheBound) {
  expect_within_bound(1, 1, {1}, {1});
  expect_within_bound(7, 5, {3, 0, 1, 17}, {1, 2});
  expect_within_bound(33, 65, {0, 40, 2, 0}, {1, 2});
}

// Sizes that a matrix unit computes where there is one: experts with few rows, with rows for parts,
// without rows, and with rows that exceed one part.
TEST(GroupedLinearTest, LargeProductsMeetTheBound) {
  expect_within_bound(130, 161, {31, 32, 0, 33, 300, 1}, {1, 2, 3});
  expect_within_bound(800, 129, {64, 5}, {2});
}

// Results that are cut into several parts along both extents.
TEST(GroupedLinearTest, ResultsOfManyPartsMeetTheBound) {
  const TeamSize team(2);
  for (const GemmKind kind : kGroupedKinds) {
    const GroupedLinearConfig c{
        .kind = kind, .experts = 2, .rows = 305, .in = 640, .out = 300, .threads = 2};
    const GroupedCase one(c, {5, 300});
    EXPECT_TRUE(one.check(one.run(GroupedLinear(c)))) << describe_grouped(c);
  }
}

TEST(GroupedLinearTest, AllRowsToOneExpertAndNoneAtAll) {
  expect_within_bound(128, 128, {0, 1030, 0}, {1, 2});
  expect_within_bound(128, 128, {0, 0, 0}, {2});
  expect_within_bound(5, 3, {0, 0}, {2});
}

TEST(GroupedLinearTest, WithoutTheMatrixUnit) {
  const TeamSize team(2);
  const Counts counts{40, 0, 129};
  for (const GemmKind kind : kGroupedKinds) {
    const GroupedLinearConfig c{
        .kind = kind, .experts = 3, .rows = 169, .in = 130, .out = 140, .matrix_unit = false};
    const GroupedCase one(c, counts);
    EXPECT_TRUE(one.check(one.run(GroupedLinear(c)))) << describe_grouped(c);
  }
}

// Vector units of several widths choose other kernels, and rows of 1,024 floats, which share sets of the
// caches, other ways through the operands.
TEST(GroupedLinearTest, OnEveryVectorTarget) {
  const TeamSize team(2);
  const Counts counts{40, 0, 129, 1};
  testing::each_target([&](const char* target) {
    for (const GemmKind kind : kGroupedKinds) {
      for (const auto& [in, accumulate] :
           {std::pair<std::size_t, bool>{330, false}, {330, true}, {1024, false}, {1024, true}}) {
        const GroupedLinearConfig c{.kind = kind,
                                    .experts = 4,
                                    .rows = 173,
                                    .in = in,
                                    .out = 140,
                                    .accumulate = accumulate,
                                    .matrix_unit = false};
        const GroupedCase one(c, counts);
        EXPECT_TRUE(one.check(one.run(GroupedLinear(c)))) << describe_grouped(c) << target;
      }
    }
  });
}

// The bits of an expert do not depend on the others, on the bound, or on when it runs.
TEST(GroupedLinearTest, AnExpertHasItsBitsInAnyCompany) {
  const TeamSize team(2);
  for (const GemmKind kind : kGroupedKinds) {
    for (const std::int64_t rows : {20, 100}) {
      GroupedLinearConfig c{.kind = kind, .experts = 1, .rows = 100, .in = 150, .out = 200};
      const GroupedCase alone(c, {rows});
      const auto want = alone.run(GroupedLinear(c));
      EXPECT_TRUE(testing::same_bits(alone.run(GroupedLinear(c)), want));
      // The same expert as the second of three, with other rows around it.
      c.experts = 3;
      c.rows = 700;
      GroupedCase among(c, {33, rows, 64});
      const auto put = [](const std::vector<float>& from, std::vector<float>& to, std::size_t begin,
                          std::size_t count) {
        std::copy_n(from.begin(), count, to.begin() + static_cast<std::ptrdiff_t>(begin));
      };
      const auto n = static_cast<std::size_t>(rows);
      const std::size_t left_width = kind == GemmKind::forward ? c.in : c.out;
      const std::size_t right_begin = kind == GemmKind::weight_gradient ? 33 * c.in : c.in * c.out;
      put(alone.left, among.left, 33 * left_width, n * left_width);
      put(alone.right, among.right, right_begin,
          kind == GemmKind::weight_gradient ? n * c.in : c.in * c.out);
      const auto got = among.run(GroupedLinear(c));
      const std::size_t begin =
          kind == GemmKind::weight_gradient ? c.in * c.out : 33 * among.width();
      EXPECT_TRUE(testing::same_bits(std::span(got).subspan(begin, want.size()), want))
          << describe_grouped(c) << " rows " << rows;
    }
  }
}

TEST(GroupedLinearTest, WeightsOfAnExpertWithoutRows) {
  GroupedLinearConfig c{
      .kind = GemmKind::weight_gradient, .experts = 2, .rows = 4, .in = 3, .out = 2};
  const std::vector<float> rows(12, 1.0F);
  for (const bool accumulate : {false, true}) {
    c.accumulate = accumulate;
    const GroupedLinear product(c);
    const Counts counts{0, 4};
    std::vector<float> result(12, 7.0F);
    const PoisonedScratch scratch(product.scratch_bytes());
    product.run({.left = rows.data(),
                 .right = rows.data(),
                 .result = result.data(),
                 .counts = counts.data(),
                 .scratch = scratch.data()});
    EXPECT_EQ(result[0], accumulate ? 7.0F : 0.0F);
    EXPECT_EQ(result[11], accumulate ? 11.0F : 4.0F);
  }
}

// A NaN in one expert's row stays in that expert.
TEST(GroupedLinearTest, NanStaysWithItsRow) {
  const GroupedLinearConfig c{.experts = 2, .rows = 80, .in = 128, .out = 128};
  GroupedCase one(c, {40, 40});
  one.left[50 * 128 + 3] = NAN;
  const auto got = one.run(GroupedLinear(c));
  for (std::size_t r = 0; r < 80; ++r) EXPECT_EQ(std::isnan(got[r * 128 + 5]), r == 50) << r;
}

TEST(GroupedLinearTest, RefusesWrongUse) {
  EXPECT_THROW(GroupedLinear({.experts = 0, .rows = 1, .in = 1, .out = 1}), Error);
  EXPECT_THROW(GroupedLinear({.experts = 1, .rows = 0, .in = 1, .out = 1}), Error);
  EXPECT_THROW(
      (void)cpu::grouped_linear_scratch_bytes({.experts = 1, .rows = 1, .in = 0, .out = 1}), Error);
  const GroupedLinearConfig c{.experts = 2, .rows = 4, .in = 2, .out = 2};
  const GroupedLinear product(c);
  const std::vector<float> m(16, 1.0F);
  std::vector<float> result(16);
  const PoisonedScratch scratch(product.scratch_bytes());
  for (const Counts& counts : {Counts{3, 2}, Counts{-1, 2}, Counts{5, -1}}) {
    EXPECT_DEATH(product.run({.left = m.data(),
                              .right = m.data(),
                              .result = result.data(),
                              .counts = counts.data(),
                              .scratch = scratch.data()}),
                 "at most the rows it was prepared for");
  }
}

TEST(GroupedLinearTest, ScratchIsKnownWithoutTheProduct) {
  for (const GemmKind kind : kGroupedKinds) {
    const GroupedLinearConfig c{.kind = kind, .experts = 4, .rows = 512, .in = 256, .out = 768};
    EXPECT_EQ(cpu::grouped_linear_scratch_bytes(c), GroupedLinear(c).scratch_bytes());
  }
}

}  // namespace
}  // namespace megascale::kernels
