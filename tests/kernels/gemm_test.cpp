#include "megascale/kernels/cpu/gemm.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "kernels/dense_support.h"
#include "megascale/base/error.h"
#include "megascale/kernels/cpu/team.h"
#include "megascale/kernels/ref/gemm.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using cpu::Gemm;
using cpu::GemmConfig;
using cpu::GemmKind;
using cpu::TeamSize;
using testing::PoisonedScratch;
using testing::widen;

struct Size {
  std::size_t rows, in, out;
};
constexpr GemmKind kKinds[] = {GemmKind::forward, GemmKind::input_gradient,
                               GemmKind::weight_gradient};

// One product with its operands, the result so far (for accumulate) and what double precision says.
struct Case {
  GemmConfig config;
  std::vector<float> left, right, bias, before;
  std::vector<double> want, bound;  // the documented error bound of each element
  std::size_t result_rows, result_columns, result_stride;

  explicit Case(const GemmConfig& c) : config(c) {
    const auto x = testing::normal(c.rows * c.in, 1), w = testing::normal(c.out * c.in, 2),
               dy = testing::normal(c.rows * c.out, 3);
    const auto sx = c.x_stride ? c.x_stride : c.in, sy = c.y_stride ? c.y_stride : c.out,
               sw = c.w_stride ? c.w_stride : c.in;
    const auto xs = testing::strided(x, c.rows, c.in, sx),
               ws = testing::strided(w, c.out, c.in, sw);
    const auto dys = testing::strided(dy, c.rows, c.out, sy);
    if (c.bias) bias = testing::normal(c.out, 4);
    const auto absolute = [](std::vector<double> v) {
      for (double& e : v) e = std::abs(e);
      return v;
    };
    const auto both = [&](auto product, const std::vector<float>& a, const std::vector<float>& b,
                          std::size_t inner) {
      want = product(widen(a), widen(b));
      bound = product(absolute(widen(a)), absolute(widen(b)));
      for (double& e : bound) e *= (static_cast<double>(inner) + 2) * 0x1p-24;
    };
    switch (c.kind) {
      case GemmKind::forward:
        left = xs, right = ws;
        both([&](const auto& a,
                 const auto& b) { return ref::linear(a, b, {}, c.rows, c.in, c.out); },
             x, w, c.in);
        result_rows = c.rows, result_columns = c.out, result_stride = sy;
        break;
      case GemmKind::input_gradient:
        left = dys, right = ws;
        both([&](const auto& a,
                 const auto& b) { return ref::linear_input_gradient(a, b, c.rows, c.in, c.out); },
             dy, w, c.out);
        result_rows = c.rows, result_columns = c.in, result_stride = sx;
        break;
      case GemmKind::weight_gradient:
        left = dys, right = xs;
        both([&](const auto& a,
                 const auto& b) { return ref::linear_weight_gradient(a, b, c.rows, c.in, c.out); },
             dy, x, c.rows);
        result_rows = c.out, result_columns = c.in, result_stride = sw;
        break;
    }
    const auto old = testing::normal(want.size(), 5);
    before = c.accumulate ? testing::strided(old, result_rows, result_columns, result_stride)
                          : std::vector<float>(result_rows * result_stride, NAN);
    for (std::size_t i = 0; i < want.size(); ++i) {
      for (const double extra :
           {c.accumulate ? double{old[i]} : 0.0, c.bias ? double{bias[i % c.out]} : 0.0}) {
        want[i] += extra;
        bound[i] += std::abs(extra) * 3 * 0x1p-24;
      }
    }
  }

  std::vector<float> run(const Gemm& gemm, std::size_t rows = 0) const {
    std::vector<float> result = before;
    const PoisonedScratch scratch(gemm.scratch_bytes());
    gemm.run({.left = left.data(),
              .right = right.data(),
              .bias = bias.empty() ? nullptr : bias.data(),
              .result = result.data(),
              .scratch = scratch.data(),
              .rows = rows});
    EXPECT_TRUE(scratch.guard_is_whole());
    EXPECT_TRUE(testing::gaps_are_untouched(result, result_rows, result_columns, result_stride));
    return result;
  }

  ::testing::AssertionResult check(const std::vector<float>& result) const {
    const auto got = testing::dense(result, result_rows, result_columns, result_stride);
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!(std::abs(got[i] - want[i]) <= bound[i])) {
        return ::testing::AssertionFailure()
               << "[" << i << "] got " << got[i] << " want " << want[i] << " bound " << bound[i];
      }
    }
    return ::testing::AssertionSuccess();
  }
};

constexpr Size kLarge[] = {{128, 128, 128}, {129, 130, 131}, {300, 160, 257}};  // for the unit

std::string describe(const GemmConfig& c) {
  return "kind " + std::to_string(static_cast<int>(c.kind)) + " rows " + std::to_string(c.rows) +
         " in " + std::to_string(c.in) + " out " + std::to_string(c.out) + " accumulate " +
         std::to_string(c.accumulate) + " bias " + std::to_string(c.bias);
}

// Goal: every kind meets the header's bound, writes every element of the result and nothing beside
// it. Method: double reference, odd sizes, all strides wider than the rows, NaN in results, gaps
// and scratch.
TEST(GemmTest, MeetsDocumentedBound) {
  for (const std::size_t threads : {1, 2}) {
    const TeamSize team(threads);
    for (const Size s : {Size{1, 1, 1},
                         {1, 7, 3},
                         {3, 1, 5},
                         {5, 3, 1},
                         {17, 33, 65},
                         {64, 48, 80},
                         {129, 100, 31}}) {
      for (const GemmKind kind : kKinds) {
        for (const bool accumulate : {false, true}) {
          for (const bool bias : {false, true}) {
            if (bias && kind != GemmKind::forward) continue;
            for (const std::size_t gap : {0, 5}) {
              const GemmConfig c{.kind = kind,
                                 .rows = s.rows,
                                 .in = s.in,
                                 .out = s.out,
                                 .x_stride = s.in + gap,
                                 .y_stride = s.out + 2 * gap,
                                 .w_stride = s.in + 3 * gap,
                                 .bias = bias,
                                 .accumulate = accumulate};
              const Case one(c);
              EXPECT_TRUE(one.check(one.run(Gemm(c))))
                  << describe(c) << " gap " << gap << " threads " << threads;
            }
          }
        }
      }
    }
  }
}

// The same for products that a matrix unit computes where there is one, and without it.
TEST(GemmTest, LargeProductsMeetTheBound) {
  for (const std::size_t threads : {1, 2, 3, 4}) {
    const TeamSize team(threads);
    for (const Size s : kLarge) {
      for (const GemmKind kind : kKinds) {
        for (const bool accumulate : {false, true}) {
          for (const bool unit : {false, true}) {
            const GemmConfig c{.kind = kind,
                               .rows = s.rows,
                               .in = s.in,
                               .out = s.out,
                               .x_stride = s.in + 3,
                               .y_stride = s.out + 1,
                               .w_stride = s.in + 2,
                               .bias = kind == GemmKind::forward && !accumulate,
                               .accumulate = accumulate,
                               .matrix_unit = unit};
            const Case one(c);
            EXPECT_TRUE(one.check(one.run(Gemm(c)))) << describe(c) << " threads " << threads;
          }
        }
      }
    }
  }
}

// A vocabulary head's input gradient.
TEST(GemmTest, LongSumsMeetTheBound) {
  for (const bool accumulate : {false, true}) {
    const GemmConfig c{.kind = GemmKind::input_gradient,
                       .rows = 6,
                       .in = 19,
                       .out = 30'011,
                       .accumulate = accumulate};
    const Case one(c);
    EXPECT_TRUE(one.check(one.run(Gemm(c)))) << describe(c);
  }
}

// A vocabulary head's result, cut into products of at most 8,192 columns.
TEST(GemmTest, WideResultsMeetTheBound) {
  for (const bool bias : {false, true}) {
    for (const bool accumulate : {false, true}) {
      const GemmConfig c{.rows = 5,
                         .in = 3,
                         .out = 20'001,
                         .x_stride = 4,
                         .y_stride = 20'010,
                         .w_stride = 7,
                         .bias = bias,
                         .accumulate = accumulate};
      const Case one(c);
      EXPECT_TRUE(one.check(one.run(Gemm(c)))) << describe(c);
    }
  }
}

// A prepared maximum serves every smaller number of rows, zero included, and touches no row behind
// them.
TEST(GemmTest, RunTimeRows) {
  for (const GemmKind kind : kKinds) {
    for (const bool accumulate : {false, true}) {
      const GemmConfig most{.kind = kind,
                            .rows = 40,
                            .in = 24,
                            .out = 56,
                            .accumulate = accumulate,
                            .dynamic_rows = true};
      const Gemm gemm(most);
      for (const std::size_t rows : {40, 1, 17, 39}) {
        GemmConfig c = most;
        c.rows = rows;
        const Case one(c);
        EXPECT_TRUE(one.check(one.run(gemm, rows))) << describe(c);
      }
      constexpr std::size_t kElements = std::size_t{56} * 24;
      std::vector<float> result(kElements, 3.0F);
      gemm.run({.left = result.data(),
                .right = result.data(),
                .result = result.data(),
                .scratch = PoisonedScratch(gemm.scratch_bytes()).data(),
                .rows = 0});
      const float want = kind == GemmKind::weight_gradient && !accumulate ? 0.0F : 3.0F;
      EXPECT_EQ(result, std::vector<float>(kElements, want)) << describe(most);
    }
  }
}

TEST(GemmTest, SameBitsEveryTime) {
  const TeamSize team(2);
  for (const GemmKind kind : kKinds) {
    const GemmConfig c{.kind = kind,
                       .rows = 512,
                       .in = 192,
                       .out = 576,
                       .accumulate = kind == GemmKind::weight_gradient};
    const Case one(c);
    const Gemm gemm(c);
    const auto first = one.run(gemm);
    for (int repeat = 0; repeat < 10; ++repeat)
      EXPECT_TRUE(testing::same_bits(one.run(gemm), first)) << describe(c);
    EXPECT_TRUE(testing::same_bits(one.run(Gemm(c)), first)) << "another object, " << describe(c);
  }
}

// The prepared maximum with fewer rows gives the bits of an object for that number of rows.
TEST(GemmTest, RunTimeRowsHaveTheBitsOfFixedRows) {
  const TeamSize team(2);
  for (const GemmKind kind : kKinds) {
    const GemmConfig fixed{.kind = kind, .rows = 333, .in = 192, .out = 576};
    GemmConfig most = fixed;
    most.rows = 512;
    most.dynamic_rows = true;
    const Case one(fixed);
    EXPECT_TRUE(testing::same_bits(one.run(Gemm(most), 333), one.run(Gemm(fixed))))
        << describe(fixed);
  }
  // Fewer rows than a matrix unit takes.
  const GemmConfig few{.rows = 50, .in = 192, .out = 576};
  GemmConfig most = few;
  most.rows = 512;
  most.dynamic_rows = true;
  const Case one(few);
  EXPECT_TRUE(testing::same_bits(one.run(Gemm(most), 50), one.run(Gemm(few))));
}

TEST(GemmTest, ScratchIsKnownBeforeTheKernel) {
  for (const GemmKind kind : kKinds) {
    for (const std::size_t rows : {100, 200}) {  // below and above what a matrix unit takes
      const GemmConfig c{.kind = kind, .rows = rows, .in = 140, .out = 192};
      EXPECT_EQ(cpu::gemm_scratch_bytes(c), Gemm(c).scratch_bytes());
    }
  }
}

void expect_bad_usage(const GemmConfig& c, const std::string& part) {
  try {
    const Gemm gemm(c);
    ADD_FAILURE() << "accepted " << describe(c);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
  }
}

TEST(GemmTest, RefusesWhatCannotBe) {
  expect_bad_usage({.rows = 0, .in = 3, .out = 4}, "rows 0");
  expect_bad_usage({.rows = 2, .in = 3, .out = 4, .x_stride = 2}, "x_stride is 2");
  expect_bad_usage({.kind = GemmKind::weight_gradient, .rows = 2, .in = 3, .out = 4, .bias = true},
                   "bias");
}

TEST(GemmDeathTest, RunRefusesBrokenContracts) {
  const GemmConfig c{.rows = 8, .in = 4, .out = 4, .bias = true};
  const Gemm gemm(c);
  std::vector<float> m(64);
  const PoisonedScratch scratch(gemm.scratch_bytes());
  EXPECT_DEATH(
      gemm.run(
          {.left = m.data(), .right = m.data(), .result = m.data(), .scratch = scratch.data()}),
      "bias");
  EXPECT_DEATH(gemm.run({.left = m.data(),
                         .right = m.data(),
                         .bias = m.data(),
                         .result = m.data(),
                         .scratch = scratch.data(),
                         .rows = 9}),
               "rows");
}

}  // namespace
}  // namespace megascale::kernels
