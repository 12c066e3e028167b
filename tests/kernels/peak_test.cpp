#include "megascale/kernels/cpu/peak.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/kernels/cpu/matrix_unit/unit.h"
#include "support/sanitizer.h"

namespace megascale::kernels::cpu {
namespace {

// A roof cannot be known to a test; an order of magnitude can: no core runs below 1 or above 2,000
// GFLOP/s (64 lanes of two FMAs at 8 GHz), nor moves less than 0.1 or more than 1,000 GB/s.
TEST(PeakTest, FiguresAreOfThisWorld) {
  const PeakOptions quick{.seconds = 0.02, .repetitions = 3};
  const PeakRate fma = fma_peak(1, quick), both = fma_peak(2, quick);
  EXPECT_GT(fma.best, 1e9);
  EXPECT_LT(fma.best, 2e12);
  EXPECT_GE(fma.best, fma.median);
  EXPECT_GT(fma.median, 0.0);
  // Once more: a core that was idle before may have run below its clock.
  EXPECT_LT(both.best, 3.0 * std::max(fma.best, fma_peak(1, quick).best));
  const PeakRate unit = matrix_unit_peak(1, quick);
  EXPECT_EQ(unit.best > fma.best, matrix_unit_available());
  const PeakRate triad = triad_bandwidth(2, 1 << 22, quick);
  EXPECT_GT(triad.best, 1e8);
  EXPECT_LT(triad.best, 1e12);
  EXPECT_FALSE(vector_target().empty());
}

TEST(PeakTest, AProductIsBelowItsPeak) {
  if (!megascale::testing::kSanitizer.empty())
    GTEST_SKIP() << megascale::testing::kSanitizer
                 << " slows the loop of FMAs, not the library's products";
  const PeakOptions quick{.seconds = 0.02, .repetitions = 3};
  const PeakRate fma = fma_peak(1, quick), gemm = gemm_peak(1, 512, quick);
  EXPECT_GT(gemm.best, 0.05 * fma.best);
  // A factor beside the peak: the clock of a core may have risen in between.
  const double unit = matrix_unit_peak(1, quick).best / 6;
  EXPECT_LT(gemm.best, 1.5 * std::max(fma.best, unit));
  EXPECT_GE(gemm.best, gemm.median);
  EXPECT_GT(gemm.median, 0.0);
  EXPECT_THROW((void)gemm_peak(1, 0, quick), Error);
}

}  // namespace
}  // namespace megascale::kernels::cpu
