#include "megascale/kernels/cpu/few_rows_input_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/dense_support.h"
#include "kernels/every_setup.h"
#include "megascale/kernels/ref/gemm.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::PoisonedScratch;

struct InputGradientCase {
  std::size_t rows, in, out;
  bool accumulate;
  std::vector<float> dy = testing::normal(rows * out, 1), w = testing::normal(out * in, 2),
                     before = accumulate ? testing::normal(rows * in, 3)
                                         : std::vector<float>(rows * in, NAN);

  // Computes the inputs [begin, end) of every pair.
  [[nodiscard]] std::vector<float> run(
      const std::vector<std::pair<std::size_t, std::size_t>>& pieces) const {
    std::vector<float> dx = before;
    for (const auto& [begin, end] : pieces) {
      const PoisonedScratch scratch(cpu::few_rows_input_gradient_scratch_bytes());
      cpu::multiply_few_rows_input_gradient({.dy = dy.data(),
                                             .w = w.data(),
                                             .dx = dx.data(),
                                             .rows = rows,
                                             .in = in,
                                             .out = out,
                                             .accumulate = accumulate},
                                            begin, end, scratch.data());
      EXPECT_TRUE(scratch.guard_is_whole());
    }
    return dx;
  }

  // Within the bound of the header.
  void check(const std::vector<float>& dx, const std::string& name) const {
    const auto wide = [](const std::vector<float>& values, bool absolute) {
      std::vector<double> all(values.begin(), values.end());
      for (double& v : all) v = absolute ? std::abs(v) : v;
      return all;
    };
    const auto sum = [&](bool absolute) {
      auto all = ref::linear_input_gradient(wide(dy, absolute), wide(w, absolute), rows, in, out);
      for (std::size_t i = 0; i < all.size() && accumulate; ++i)
        all[i] += absolute ? std::abs(before[i]) : before[i];
      return all;
    };
    const auto want = sum(false), size = sum(true);
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_LE(std::abs(dx[i] - want[i]), (static_cast<double>(out) + 2) * 0x1p-24 * size[i])
          << name << ' ' << rows << " x " << in << " x " << out << " [" << i << ']';
    }
  }
};

// Goal: every element meets the bound and nothing else is read or written. Method: sizes around those of a
// tile, a panel and a block, and rows of w that share sets of a cache; NaN in results and in scratch, of
// which none may arrive.
TEST(FewRowsInputGradientTest, MeetsTheBoundOnEveryTarget) {
  testing::each_target([](const char* target) {
    for (const std::size_t rows : {1, 6, 13, 29, 48, 64, 257}) {
      for (const std::size_t in : {1, 31, 32, 75, 1024, 1100}) {
        for (const std::size_t out : {1, 7, 256, 300}) {
          const InputGradientCase one{rows, in, out, (rows + in + out) % 2 == 0};
          one.check(one.run({{0, in}}), target);
        }
      }
    }
  });
}

// The bits of an element do not depend on the inputs that one call computes, or on the number of rows.
TEST(FewRowsInputGradientTest, AnElementHasItsBitsInAnyCompany) {
  const InputGradientCase all{100, 150, 600, false};
  InputGradientCase few{20, 150, 600, false};
  std::copy_n(all.dy.begin(), few.dy.size(), few.dy.begin());
  testing::each_target([&](const char* target) {
    const auto want = all.run({{0, 150}});
    EXPECT_TRUE(testing::same_bits(all.run({{96, 150}, {0, 32}, {32, 96}}), want)) << target;
    EXPECT_TRUE(testing::same_bits(few.run({{0, 150}}), std::span(want).first(few.before.size())))
        << target;
  });
}

// Inputs outside of [first, last) are left alone.
TEST(FewRowsInputGradientTest, WritesItsInputsOnly) {
  const InputGradientCase one{9, 70, 40, false};
  const auto dx = one.run({{32, 64}});
  for (std::size_t i = 0; i < dx.size(); ++i)
    EXPECT_EQ(std::isnan(dx[i]), i % 70 < 32 || i % 70 >= 64) << i;
}

}  // namespace
}  // namespace megascale::kernels
