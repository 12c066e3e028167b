// Training gives the same bits whatever runs beside what and wherever the model is cut, and close
// numbers whatever the tensor and data sizes: losses, gradient norms, weights, moments.
#include "train/equality.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kLeast = 60;
constexpr std::uint64_t kSeed = 7;

class EqualityTest : public ::testing::TestWithParam<Part> {};

// Goal: every two values of the lattice's axes that can stand together are seen together.
TEST_P(EqualityTest, PairwiseCover) {
  EqualityCheck check;
  const auto points = part_of(pairwise_cover(check.laboratory(), kLeast, kSeed), GetParam());
  EXPECT_GT(points.size(), 3U);
  for (const Point& point : points) check.check(point);
  check.report();
}

INSTANTIATE_TEST_SUITE_P(Parts, EqualityTest,
                         ::testing::Combine(::testing::Range(0, 4), ::testing::Range(0, 2)),
                         [](const auto& tested) { return part_name(tested.param); });

}  // namespace
}  // namespace megascale
