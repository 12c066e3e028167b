// The task functions of add_bias and of its gradient against finite differences.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/operation.h"
#include "megascale/graph/ops/ops.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::normal;
using testing::Operation;
using testing::weighted_sum;

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

class BiasFunctionTest : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};
INSTANTIATE_TEST_SUITE_P(Shapes, BiasFunctionTest,
                         ::testing::Values(std::pair{1, 1}, std::pair{3, 5}, std::pair{7, 16},
                                           std::pair{64, 24}, std::pair{33, 130}));

TEST_P(BiasFunctionTest, GradientsAreThoseOfFiniteDifferences) {
  const auto [rows, columns] = GetParam();
  const auto count = static_cast<std::size_t>(rows * columns);
  auto x = normal(count, 1), bias = normal(static_cast<std::size_t>(columns), 2),
       dy = normal(count, 3);
  const auto old = normal(bias.size(), 4);
  Operation forward(graph::add_bias_op(), {{rows, columns}, {columns}, {rows, columns}});
  Operation backward(graph::bias_gradient_op(), {{rows, columns}, {columns}});
  const auto loss_now = [&] {
    std::vector<float> y(count, kPoison);
    forward.run({&x, &bias, &y}, true);
    return weighted_sum(y, dy);
  };
  std::vector<float> written(bias.size(), kPoison), added = old;
  backward.run({&dy, &written}, true);
  backward.run({&dy, &added}, false);
  // y is linear in the bias: the step may be large, and rounding of y is all that remains.
  constexpr float kStep = 0.5F;
  for (std::size_t c = 0; c < bias.size(); ++c) {
    const float middle = bias[c];
    bias[c] = middle + kStep;
    const double above = loss_now();
    const double width_above = bias[c];
    bias[c] = middle - kStep;
    const double below = loss_now();
    const double slope = (above - below) / (width_above - double{bias[c]});
    bias[c] = middle;
    const double bound = 1e-6 * static_cast<double>(rows + 4);
    EXPECT_NEAR(written[c], slope, bound) << "channel " << c;
    EXPECT_NEAR(added[c], slope + double{old[c]}, bound) << "channel " << c;
  }
}

}  // namespace
}  // namespace megascale::kernels
