#include "megascale/base/time_slice.h"

#include <gtest/gtest.h>

namespace megascale::testing {
namespace {

using namespace std::chrono_literals;

// The kernel's slices are a millisecond to a tenth of a second; on a busy core they may come late.
TEST(TimeSliceTest, TwoThreadsOnACoreTakeTurns) {
  const auto slice = time_slice(300ms);
  EXPECT_GT(slice, 100us);
  EXPECT_LT(slice, 300ms);
}

TEST(TimeSliceTest, ThereIsNoneInNoTime) { EXPECT_EQ(time_slice(0ms), 0ns); }

}  // namespace
}  // namespace megascale::testing
