// A checkpoint goes on under any layout: weights, moments, step and next samples are what was
// saved, bit for bit, and training goes on as it would have.
#include "train/resharding.h"

#include <algorithm>
#include <random>

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// A ring through all layouts in a drawn order, in two halves: each is once the source, once the
// target. resharding_slow_test.cpp has all pairs.
class ReshardingTest : public ::testing::TestWithParam<int> {};

TEST_P(ReshardingTest, DozenOfPairs) {
  std::vector<Layout> order = layouts_to_reshard();
  std::mt19937_64 engine(5);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
  ReshardingCheck check;
  const std::size_t half = order.size() / 2, begin = GetParam() == 0 ? 0 : half;
  for (std::size_t i = begin; i < begin + half; ++i) {
    check.check(order[i], order[(i + 1) % order.size()]);
  }
  check.report();
}

INSTANTIATE_TEST_SUITE_P(Halves, ReshardingTest, ::testing::Values(0, 1));

}  // namespace
}  // namespace megascale
