// The exponential that every kernel shares, over all floats it is meant for.
#include <cmath>
#include <cstdint>

#include "megascale/kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd_math_test.cpp"
#include "hwy/foreach_target.h"
#include "kernels/every_setup.h"
#include "megascale/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {
void exp_array(const float* x, float* y, std::size_t count) {
  for_each_vector(0, count, [=](auto at) HWY_ATTR { at.store(exp_nonpositive(at.load(x)), y); });
}
}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {
HWY_EXPORT(exp_array);
void exp_of(const float* x, float* y, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(exp_array)(x, y, count);
}
}  // namespace megascale::kernels::cpu

namespace megascale::kernels {
namespace {

// Every 61st float of [-87.34, 0]: 18 million values; the distance is a prime, so all low bits
// occur.
TEST(ExpNonpositiveTest, IsWithinOneAndAHalfUnitsEverywhere) {
  constexpr std::size_t kBatch = 4096;
  std::vector<float> x(kBatch), y(kBatch);
  const std::uint32_t last = std::bit_cast<std::uint32_t>(87.3365F);
  double worst = 0;
  for (std::uint32_t start = 0; start < last; start += 61 * kBatch) {
    for (std::uint32_t i = 0; i < kBatch; ++i)
      x[i] = -std::bit_cast<float>(std::min(start + 61 * i, last));
    cpu::exp_of(x.data(), y.data(), kBatch);
    for (std::size_t i = 0; i < kBatch; ++i) {
      const double want = std::exp(static_cast<double>(x[i]));
      worst = std::max(worst, std::abs(y[i] - want) / want);
      ASSERT_LE(std::abs(y[i] - want), 1.5 * testing::kUnit * want) << x[i];
    }
  }
  RecordProperty("worst_in_units", std::to_string(worst / testing::kUnit));
}

TEST(ExpNonpositiveTest, ExtremesAndNan) {
  const std::vector<float> x{
      0.0F,         -0.0F, -1e-45F, -88.0F, -1e4F, -3e38F, -std::numeric_limits<float>::infinity(),
      testing::kNan};
  std::vector<float> y(x.size(), 7.0F);
  cpu::exp_of(x.data(), y.data(), x.size());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(y[i], 1.0F);
  for (std::size_t i = 3; i < 7; ++i) EXPECT_EQ(y[i], 0.0F);
  EXPECT_TRUE(std::isnan(y[7]));
  // Between 2^-126 and 2^-126.5 the result is denormal or 0.
  const float edge = -87.5F;
  cpu::exp_of(&edge, y.data(), 1);
  EXPECT_NEAR(y[0], std::exp(-87.5), 1e-45);
}

}  // namespace
}  // namespace megascale::kernels
#endif
