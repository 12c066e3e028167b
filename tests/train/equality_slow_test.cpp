// The whole lattice; equality_test.cpp says what is compared.
#include "train/equality.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// By model and optimizer, and by data size.
class WholeLatticeTest : public ::testing::TestWithParam<std::tuple<Part, int>> {};

TEST_P(WholeLatticeTest, EveryPointEqualsThePlainest) {
  const auto& [part, data] = GetParam();
  EqualityCheck check;
  int points = 0;
  for (const Point& point : part_of(whole_lattice(check.laboratory(), 11), part)) {
    if (at(point, Aspect::data) != data) continue;
    check.check(point);
    ++points;
  }
  EXPECT_GT(points, 10);
  check.report();
}

std::string slice_name(const ::testing::TestParamInfo<std::tuple<Part, int>>& tested) {
  const auto& [part, data] = tested.param;
  return part_name(part) + "_" + values_of(Aspect::data)[static_cast<std::size_t>(data)].label;
}

INSTANTIATE_TEST_SUITE_P(Slices, WholeLatticeTest,
                         ::testing::Combine(::testing::Combine(::testing::Range(0, 4),
                                                               ::testing::Range(0, 2)),
                                            ::testing::Range(0, 5)),
                         slice_name);

}  // namespace
}  // namespace megascale
