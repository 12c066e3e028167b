// The task functions of matrix products.
#include <gtest/gtest.h>

#include <list>

#include "kernels/operation.h"
#include "megascale/graph/ops/ops.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::normal;
using testing::Operation;

// A product of a few rows needs no scratch, and its result, a piece of a larger one, may lie
// anywhere.
TEST(LinearFunctionTest, ProductsWithoutScratchRunAtAnyAddress) {
  auto x = normal(8, 1), weight = normal(6, 2);
  std::list<std::vector<float>> results;
  do {
    results.emplace_back(12);
  } while (reinterpret_cast<std::uintptr_t>(results.back().data()) % 64 == 0);
  Operation linear(graph::linear_op(), {{4, 2}, {3, 2}, {}, {4, 3}});
  linear.run({&x, &weight, nullptr, &results.back()}, true);
  for (std::size_t n = 0; n < 4; ++n) {
    for (std::size_t o = 0; o < 3; ++o) {
      const float want = x[2 * n] * weight[2 * o] + x[2 * n + 1] * weight[2 * o + 1];
      EXPECT_NEAR(results.back()[3 * n + o], want, 1e-5);
    }
  }
}

}  // namespace
}  // namespace megascale::kernels
