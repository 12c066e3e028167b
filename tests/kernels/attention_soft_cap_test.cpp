// Soft caps of scores, and scales that are not 1 / sqrt(head size), in both directions of attention.
#include <gtest/gtest.h>

#include "kernels/attention_case.h"
#include "megascale/kernels/ref/attention.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::AttentionCase;
using testing::Dimensions;
using testing::kAttentionSizes;
using testing::relative_norm_error;
using testing::widen;

// Scores of normal data have a deviation of about scale x sqrt(head size), here 2.
AttentionCase capped(const Dimensions& size, std::size_t window, bool segmented, double cap) {
  AttentionCase one(size, window, segmented);
  one.scale = 2 / std::sqrt(static_cast<double>(size.head_size));
  one.soft_cap = cap;
  return one;
}

// The reference's gradients against central differences of sum(do * o).
TEST(AttentionSoftCapTest, GradientsOfTheReferenceMatchFiniteDifferences) {
  const AttentionCase one =
      capped({.sequence = 9, .head_size = 3, .batch = 1, .heads = 4, .kv_heads = 2}, 5, true, 1.5);
  const auto gradients = one.reference_gradients();
  std::vector<double> inputs[] = {widen(one.q), widen(one.k), widen(one.v)};
  const auto loss = [&] {
    const auto out = ref::attention(one.shape(), inputs[0], inputs[1], inputs[2], one.segments);
    double sum = 0;
    for (std::size_t i = 0; i < out.o.size(); ++i) sum += out.o[i] * one.grad_o[i];
    return sum;
  };
  const std::vector<double>* wanted[] = {&gradients.dq, &gradients.dk, &gradients.dv};
  for (std::size_t which = 0; which < 3; ++which) {
    for (std::size_t i = 0; i < inputs[which].size(); ++i) {
      double& x = inputs[which][i];
      const double middle = x, step = 1e-5;
      x = middle + step;
      const double above = loss();
      x = middle - step;
      const double below = loss();
      x = middle;
      EXPECT_NEAR((above - below) / (2 * step), (*wanted[which])[i], 1e-8)
          << "input " << which << " [" << i << "]";
    }
  }
}

// A cap far above the scores changes little, a low one much.
TEST(AttentionSoftCapTest, MatchesTheReference) {
  for (const std::size_t threads : {1, 3}) {
    for (const Dimensions& size : kAttentionSizes) {
      for (const std::size_t window : {0, 7, 100}) {
        for (const double cap : {0.0, 1.0, 50.0}) {
          const AttentionCase one = capped(size, window, size.sequence > 60, cap);
          const auto got = one.backward(threads);
          const auto want = one.reference();
          const auto gradients = one.reference_gradients();
          const std::string what = one.describe() + " cap " + std::to_string(cap);
          EXPECT_LT(relative_norm_error(got.o, want.o), 3e-6) << what;
          for (std::size_t i = 0; i < want.lse.size(); ++i)
            ASSERT_NEAR(got.lse[i], want.lse[i], 2e-6 * (1 + std::abs(want.lse[i]))) << what;
          EXPECT_LT(relative_norm_error(got.dv, gradients.dv), 3e-6) << what;
          if (size.sequence == 1) continue;  // dq and dk are 0
          EXPECT_LT(relative_norm_error(got.dq, gradients.dq), 4e-6) << what;
          EXPECT_LT(relative_norm_error(got.dk, gradients.dk), 4e-6) << what;
        }
      }
    }
  }
}

TEST(AttentionSoftCapTest, DropsProbabilitiesOfCappedScores) {
  // With a rate so small that nothing is dropped, dropout must change nothing but a factor near 1.
  AttentionCase plain = capped({.sequence = 130, .head_size = 32}, 0, false, 1.0);
  AttentionCase dropped = plain;
  const std::int64_t sample = 3;
  dropped.dropout = {.draws = {.rate = 1e-9, .seed = 1, .stream = 2}, .sample = &sample};
  const auto want = plain.backward(1), got = dropped.backward(1);
  EXPECT_LT(relative_norm_error(got.dq, widen(want.dq)), 1e-6);
  EXPECT_LT(relative_norm_error(got.dk, widen(want.dk)), 1e-6);
}

TEST(AttentionSoftCapTest, NanReachesTheOutput) {
  AttentionCase one = capped({.sequence = 70, .head_size = 16}, 0, false, 1.0);
  one.q[50 * 16 + 3] = NAN;
  const auto got = one.forward(1);
  for (std::size_t i = 0; i < 70; ++i) EXPECT_EQ(std::isnan(got.o[i * 16]), i == 50) << i;
}

}  // namespace
}  // namespace megascale::kernels
