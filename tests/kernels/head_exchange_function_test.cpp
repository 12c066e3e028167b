// The task functions around context parallelism's all_to_alls against finite differences: every
// kind's gradient is the other kind of its pair.
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

// Both are linear: the step may be large, and rounding of sums is all that remains.
void expect_gradient(Operation forward, Operation backward, std::size_t inputs,
                     std::size_t outputs) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kStep = 0.5F;
  auto x = normal(inputs, 1), dy = normal(outputs, 2);
  std::vector<float> dx(inputs, kNan);
  backward.run({&dy, &dx}, true);
  const auto loss_at = [&](std::size_t i, float value) {
    const float middle = std::exchange(x[i], value);
    std::vector<float> y(outputs, kNan);
    forward.run({&x, &y}, true);
    x[i] = middle;
    return weighted_sum(y, dy);
  };
  for (std::size_t i = 0; i < inputs; ++i) {
    const float above = x[i] + kStep, below = x[i] - kStep;
    const double slope = (loss_at(i, above) - loss_at(i, below)) / (double{above} - double{below});
    EXPECT_NEAR(dx[i], slope, 1e-5) << i;
  }
}

struct HeadShape {
  std::int64_t tokens, heads, groups, size, ranks;
  std::int64_t value_size = 0;  // 0: no attribute value_dim
};
class HeadExchangeFunctionTest : public ::testing::TestWithParam<HeadShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, HeadExchangeFunctionTest,
                         ::testing::Values(HeadShape{3, 4, 4, 2, 2}, HeadShape{2, 4, 2, 3, 4},
                                           HeadShape{3, 6, 0, 2, 3}, HeadShape{2, 8, 1, 2, 4},
                                           HeadShape{2, 4, 4, 3, 2, 2},
                                           HeadShape{2, 4, 2, 2, 4, 3}));

TEST_P(HeadExchangeFunctionTest, GradientsAreThoseOfFiniteDifferences) {
  const auto [tokens, heads, groups, size, ranks, value_size] = GetParam();
  graph::Attributes attributes{
      {"heads", heads}, {"groups", groups}, {"head_dim", size}, {"ranks", ranks}};
  if (value_size > 0) attributes.set("value_dim", value_size);
  const std::int64_t of_group = size + (value_size > 0 ? value_size : size);
  const std::int64_t of_block = groups == 0 ? 0 : std::max<std::int64_t>(groups / ranks, 1);
  const graph::Shape rows{tokens, heads * size + groups * of_group},
      blocks{ranks * tokens, heads / ranks * size + of_block * of_group};
  const Operation split(graph::split_heads_op(), {rows, blocks}, attributes),
      join(graph::join_heads_op(), {blocks, rows}, attributes);
  const auto in_rows = static_cast<std::size_t>(graph::numel(rows)),
             in_blocks = static_cast<std::size_t>(graph::numel(blocks));
  expect_gradient(split, join, in_rows, in_blocks);
  expect_gradient(join, split, in_blocks, in_rows);
}

TEST(SequenceExchangeFunctionTest, GradientsAreThoseOfFiniteDifferences) {
  const graph::Attributes attributes{{"sequence", std::int64_t{6}}, {"ranks", std::int64_t{3}}};
  const graph::Shape shape{12, 5};
  const Operation split(graph::split_sequences_op(), {shape, shape}, attributes),
      join(graph::join_sequences_op(), {shape, shape}, attributes);
  expect_gradient(split, join, 60, 60);
  expect_gradient(join, split, 60, 60);
}

}  // namespace
}  // namespace megascale::kernels
