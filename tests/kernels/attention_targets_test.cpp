// The vector targets below the best one of this machine, and the exp2 inside the kernels.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kernels/attention_case.h"
#include "megascale/kernels/cpu/attention_work.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/kernels/cpu/simd_targets.h"
#include "support/close.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_targets_test.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

void exp2_block(float* values) {  // 16 of them
  for (std::size_t i = 0; i < 16; i += kLanes)
    hn::StoreU(exp2_of(hn::LoadU(Tag(), values + i)), Tag(), values + i);
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(exp2_block);

namespace {

// Restricts dispatch to one target for a scope.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { set(target); }
  ~OnlyTarget() { set(0); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;

 private:
  static void set(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();  // dispatch chooses again
  }
};

// Every 61st float of [-126, 126]: the documented 2 u.
TEST(AttentionExp2Test, MeetsDocumentedBound) {
  const auto exp2_of_block = HWY_DYNAMIC_DISPATCH(exp2_block);
  double worst = 0;
  std::uint32_t bits = 0;
  const std::uint32_t end = std::bit_cast<std::uint32_t>(126.0F);
  while (bits < end) {
    float x[16], y[16];
    for (std::size_t i = 0; i < 16; i += 2, bits += 997) {
      x[i] = std::bit_cast<float>(std::min(bits, end));
      x[i + 1] = -x[i];
    }
    std::copy_n(x, 16, y);
    exp2_of_block(y);
    for (std::size_t i = 0; i < 16; ++i) {
      const double want = std::exp2(double{x[i]}), error = std::abs(y[i] - want) / want;
      if (!(error <= worst)) worst = error;
    }
  }
  EXPECT_LE(worst, 2 * 0x1p-24) << worst * 0x1p24 << " u";
}

TEST(AttentionExp2Test, EdgesAndNan) {
  float x[16] = {0.0F, -0.0F, -INFINITY, -126.0F, -126.5F, -1e30F, NAN, -NAN};
  x[8] = std::bit_cast<float>(0xFFFFFFFFU);
  x[9] = std::bit_cast<float>(0x7FC001FFU);
  HWY_DYNAMIC_DISPATCH(exp2_block)(x);
  EXPECT_EQ(x[0], 1.0F);
  EXPECT_EQ(x[1], 1.0F);
  EXPECT_EQ(x[2], 0.0F);
  EXPECT_EQ(x[3], 0x1p-126F);
  EXPECT_EQ(x[4], 0.0F);
  EXPECT_EQ(x[5], 0.0F);
  for (std::size_t i = 6; i < 10; ++i) EXPECT_TRUE(std::isnan(x[i])) << i;
}

TEST(AttentionTargetsTest, EveryTargetMatchesTheReference) {
  std::size_t tried = 0;
  for (const std::int64_t target :
       {std::int64_t{HWY_AVX3}, std::int64_t{HWY_AVX2}, std::int64_t{HWY_SCALAR}}) {
    if (target != HWY_SCALAR && (hwy::SupportedTargets() & target) == 0) continue;
    const OnlyTarget only(target);
    ASSERT_EQ(vector_target(), hwy::TargetName(target));
    ++tried;
    for (const auto& [head_size, value_size] :
         {std::pair<std::size_t, std::size_t>{5, 5}, {32, 32}, {33, 33}, {80, 80}, {80, 33}}) {
      const megascale::testing::AttentionCase one({.sequence = 110,
                                                   .head_size = head_size,
                                                   .heads = 2,
                                                   .kv_heads = 1,
                                                   .value_size = value_size},
                                                  70, true);
      const auto want = one.reference();
      const auto gradients = one.reference_gradients();
      const auto got = one.backward(2);
      using megascale::testing::relative_norm_error;
      EXPECT_LT(relative_norm_error(got.o, want.o), 3e-6)
          << hwy::TargetName(target) << " " << head_size;
      EXPECT_LT(relative_norm_error(got.dq, gradients.dq), 3e-6)
          << hwy::TargetName(target) << " " << head_size;
      EXPECT_LT(relative_norm_error(got.dk, gradients.dk), 3e-6)
          << hwy::TargetName(target) << " " << head_size;
      EXPECT_LT(relative_norm_error(got.dv, gradients.dv), 3e-6)
          << hwy::TargetName(target) << " " << head_size;
    }
  }
  EXPECT_GE(tried, 2U);
}

}  // namespace
}  // namespace megascale::kernels::cpu
#endif
