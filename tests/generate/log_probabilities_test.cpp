#include "megascale/generate/log_probabilities.h"

#include <gtest/gtest.h>

#include <cmath>

namespace megascale::generate {
namespace {

TEST(LogProbabilitiesTest, AreTheLogarithmsOfTheSoftmax) {
  // The softmax is 0.4, 0.1, 0.3, 0.2.
  for (const float shift : {0.0F, 1000.0F, -1000.0F}) {
    const std::vector<float> logits{std::log(4.0F) + shift, shift, std::log(3.0F) + shift,
                                    std::log(2.0F) + shift};
    EXPECT_NEAR(log_probability(logits, 0), std::log(0.4), 1e-4);
    EXPECT_NEAR(log_probability(logits, 1), std::log(0.1), 1e-4);
    EXPECT_NEAR(log_sum_exp(logits), std::log(10.0) + shift, 1e-3);
  }
  EXPECT_NEAR(
      log_probability(std::vector<float>{std::log(4.0F), 0, std::log(3.0F), std::log(2.0F)}, 2),
      std::log(0.3), 1e-7);
}

TEST(LogProbabilitiesTest, MostLikelyOnesComeFirstAndOfEqualOnesTheSmallerId) {
  const std::vector<float> logits{0, 2, 1, 2, -1};
  const auto found = most_likely(logits, 3);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].token, 1);
  EXPECT_EQ(found[1].token, 3);
  EXPECT_EQ(found[2].token, 2);
  for (const auto& one : found) EXPECT_DOUBLE_EQ(one.value, log_probability(logits, one.token));
  double sum = 0;
  for (const auto& one : most_likely(logits, 100)) sum += std::exp(one.value);
  EXPECT_NEAR(sum, 1, 1e-12);
}

}  // namespace
}  // namespace megascale::generate
