// The whole lattice; equality_test.cpp says what is compared.
#include "train/equality.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

class WholeLatticeTest : public ::testing::TestWithParam<Part> {};

TEST_P(WholeLatticeTest, EveryPointEqualsThePlainest) {
  EqualityCheck check;
  for (const Point& point : part_of(whole_lattice(check.laboratory(), 11), GetParam())) {
    check.check(point);
  }
  check.report();
}

INSTANTIATE_TEST_SUITE_P(Parts, WholeLatticeTest,
                         ::testing::Combine(::testing::Range(0, 3), ::testing::Range(0, 2)),
                         part_name);

}  // namespace
}  // namespace megascale
