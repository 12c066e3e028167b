#include "megascale/kernels/cpu/peak.h"

#include <gtest/gtest.h>

#include "megascale/base/error.h"
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
  EXPECT_LT(both.best, 3.0 * fma.best);
  const PeakRate triad = triad_bandwidth(2, 1 << 22, quick);
  EXPECT_GT(triad.best, 1e8);
  EXPECT_LT(triad.best, 1e12);
  EXPECT_FALSE(vector_target().empty());
}

TEST(PeakTest, AProductIsBelowTheFmaPeak) {
  if (!megascale::testing::kSanitizer.empty())
    GTEST_SKIP() << megascale::testing::kSanitizer
                 << " slows the loop of FMAs, not the library's products";
  const PeakOptions quick{.seconds = 0.02, .repetitions = 3};
  const PeakRate fma = fma_peak(1, quick), gemm = gemm_peak(1, 512, quick);
  EXPECT_GT(gemm.best, 0.05 * fma.best);
  // A factor beside the peak: the clock of a core may have risen in between.
  EXPECT_LT(gemm.best, 1.5 * fma.best);
  EXPECT_GE(gemm.best, gemm.median);
  EXPECT_GT(gemm.median, 0.0);
  EXPECT_THROW((void)gemm_peak(1, 0, quick), Error);
}

}  // namespace
}  // namespace megascale::kernels::cpu
