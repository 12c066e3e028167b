#ifndef MEGASCALE_TESTS_KERNELS_EVERY_SETUP_H_
#define MEGASCALE_TESTS_KERNELS_EVERY_SETUP_H_

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "megascale/kernels/cpu/simd_targets.h"
// After the choice of targets, which it reads.
#include "hwy/highway.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace megascale::testing {

inline constexpr double kUnit = std::numeric_limits<float>::epsilon() / 2.0;  // u = 2^-24
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Outputs = std::vector<std::vector<float>>;

// The first differing element, by bits (so that NaN equals NaN and 0 differs from -0).
inline ::testing::AssertionResult same_bits(const Outputs& a, const Outputs& b) {
  if (a.size() != b.size() || a.empty())
    return ::testing::AssertionFailure() << "number of outputs";
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k].size() != b[k].size()) return ::testing::AssertionFailure() << "size of output " << k;
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      if (std::bit_cast<std::uint32_t>(a[k][i]) != std::bit_cast<std::uint32_t>(b[k][i])) {
        return ::testing::AssertionFailure()
               << "output " << k << " [" << i << "] " << a[k][i] << " and " << b[k][i];
      }
    }
  }
  return ::testing::AssertionSuccess();
}

inline void set_threads([[maybe_unused]] int threads) {
#ifdef _OPENMP
  omp_set_num_threads(threads);
#endif
}

// Leaves only these Highway targets for the next dispatch; 0: all again.
inline void set_targets(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Calls body(name) with AVX-512 and AVX2, as far as the machine has them, and with the baseline of
// the build.
template <class Body>
void each_target(const Body& body) {
  const std::int64_t machine = hwy::SupportedTargets();
  for (const std::int64_t target :
       {std::int64_t{HWY_AVX3}, std::int64_t{HWY_AVX2}, std::int64_t{HWY_STATIC_TARGET}}) {
    if (target != HWY_STATIC_TARGET && (machine & target) == 0) continue;
    set_targets(target);
    body(hwy::TargetName(target));
    set_targets(0);
  }
}

// Runs a kernel (a function that makes its outputs afresh) under 1, 2 and 3 threads, with AVX-512
// and AVX2 where the machine has them, and twice in the same way. All runs must agree in every bit;
// returns the outputs.
template <class Run>
Outputs run_every_setup(Run run) {
  set_threads(2);
  const Outputs first = run();
  EXPECT_TRUE(same_bits(first, run())) << "repeated";
  const std::int64_t machine = hwy::SupportedTargets();
  for (const std::int64_t target : {std::int64_t{HWY_AVX3}, std::int64_t{HWY_AVX2}}) {
    if ((machine & target) == 0) continue;
    set_targets(target);
    for (const int threads : {1, 2, 3}) {
      set_threads(threads);
      EXPECT_TRUE(same_bits(first, run()))
          << threads << " threads, target " << hwy::TargetName(target);
    }
    set_targets(0);
  }
  set_threads(2);
  return first;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_KERNELS_EVERY_SETUP_H_
