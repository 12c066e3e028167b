#include "megascale/base/philox.h"

#include <gtest/gtest.h>

#include "support/close.h"

namespace megascale {
namespace {

// Known answers of Random123 1.14, file kat_vectors, philox4x32 10 rounds.
TEST(PhiloxTest, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(PhiloxTest, NormalHasMeanZeroAndVarianceOne) {
  const auto values = testing::normal(100'000, 7);
  double sum = 0, squares = 0;
  for (const float v : values) {
    sum += v;
    squares += double{v} * v;
  }
  EXPECT_NEAR(sum / 1e5, 0.0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1.0, 0.02);
}

TEST(PhiloxTest, StreamsDependOnSeedPurposeAndIndexOnly) {
  const PhiloxStream a(1, "x");
  std::vector<float> whole(10), part(4);
  a.fill_normal(whole, 0, 0, 1);
  a.fill_normal(part, 6, 0, 1);
  EXPECT_EQ(std::vector<float>(whole.begin() + 6, whole.end()), part);
  EXPECT_NE(a.bits(0), PhiloxStream(2, "x").bits(0));
  EXPECT_NE(a.bits(0), PhiloxStream(1, "y").bits(0));
}

TEST(AllCloseTest, RejectsNanEmptyAndTwiceTheBound) {
  using testing::all_close;
  EXPECT_FALSE(all_close(std::vector{NAN}, std::vector{1.0}, 1e-6));
  EXPECT_FALSE(all_close(std::vector{1.0F + 2e-6F}, std::vector{1.0}, 1e-6));
  EXPECT_FALSE(all_close(std::vector<float>{}, std::vector<double>{}, 1e-6));
  EXPECT_TRUE(all_close(std::vector{1.0F}, std::vector{1.0}, 1e-6));
}

}  // namespace
}  // namespace megascale
