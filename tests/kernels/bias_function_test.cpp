// The task functions of add_bias and of its gradient against finite differences.
#include <gtest/gtest.h>

#include <limits>

#include "megascale/graph/ops/ops.h"
#include "megascale/kernels/kernel.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::normal;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Operation {
  // Operands as [rows, columns] or [columns]; all float32.
  Operation(const graph::OpDef& def, std::vector<graph::Shape> shapes) : def_(&def) {
    for (graph::Shape& shape : shapes) {
      tensors_.emplace_back(graph::Tensor{.shape = std::move(shape)});
      nbytes_.push_back(static_cast<std::uint64_t>(tensors_.back()->nbytes()));
    }
  }
  void run(std::vector<std::vector<float>*> operands, bool first) {
    const Kernel* kernel = find_kernel(def_->name, Device::cpu);
    ASSERT_NE(kernel, nullptr);
    KernelSpec spec{
        .def = def_, .attributes = &attributes_, .tensors = tensors_, .nbytes = nbytes_};
    if (kernel->scratch_bytes != nullptr) spec.scratch_nbytes = kernel->scratch_bytes(spec);
    std::vector<float> scratch(spec.scratch_nbytes / sizeof(float) + 1, kNan);
    std::vector<std::byte*> addresses;
    for (auto* operand : operands)
      addresses.push_back(reinterpret_cast<std::byte*>(operand->data()));
    if (spec.scratch_nbytes > 0) addresses.push_back(reinterpret_cast<std::byte*>(scratch.data()));
    EXPECT_EQ(kernel->prepare(spec)->run({.operands = addresses, .first = first}), nullptr);
  }

 private:
  const graph::OpDef* def_;
  graph::Attributes attributes_;
  std::vector<std::optional<graph::Tensor>> tensors_;
  std::vector<std::uint64_t> nbytes_;
};

// L = sum of weights x y in double; its gradient by y is `weights`.
double loss(const std::vector<float>& y, const std::vector<float>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += double{y[i]} * double{weights[i]};
  return sum;
}

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
    std::vector<float> y(count, kNan);
    forward.run({&x, &bias, &y}, true);
    return loss(y, dy);
  };
  std::vector<float> written(bias.size(), kNan), added = old;
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
