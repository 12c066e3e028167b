#include <gtest/gtest.h>

#include "kernels/attention_case.h"
#include "megascale/kernels/ref/attention.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::AttentionCase;
using testing::widen;

// With q = 0 all visible keys weigh the same: o is the mean of the visible values, lse the
// logarithm of their number. That needs no softmax, so it checks which pairs are visible, in the
// reference and in the kernel.
TEST(AttentionVisibilityTest, EqualScoresAverageTheVisibleValues) {
  for (const std::size_t window : {0, 1, 5, 64, 65, 200}) {
    for (const bool segmented : {false, true}) {
      AttentionCase one({.sequence = 180, .head_size = 4, .batch = 2}, window, segmented);
      std::fill(one.q.begin(), one.q.end(), 0.0F);
      const auto reference = one.reference();
      const auto kernel = one.forward(2);
      for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t i = 0; i < 180; ++i) {
          double sum = 0, count = 0;
          for (std::size_t back = 0; back <= i && (window == 0 || back < window); ++back) {
            const std::size_t key = b * 180 + i - back;
            if (segmented && one.segments[key] != one.segments[b * 180 + i]) continue;
            sum += one.v[key * 4];
            count += 1;
          }
          const std::size_t row = b * 180 + i;
          ASSERT_NEAR(reference.o[row * 4], sum / count, 1e-12) << one.describe() << " i " << i;
          ASSERT_NEAR(reference.lse[row], std::log(count), 1e-12) << one.describe() << " i " << i;
          ASSERT_NEAR(kernel.o[row * 4], sum / count, 1e-5) << one.describe() << " i " << i;
          ASSERT_NEAR(kernel.lse[row], std::log(count), 1e-5) << one.describe() << " i " << i;
        }
      }
    }
  }
}

// The reference's gradients against central differences of sum(do * o).
void expect_finite_differences(const testing::Dimensions& size) {
  const AttentionCase one(size, 5, true);
  const auto gradients = one.reference_gradients();
  const auto loss = [&](const std::vector<double>& q, const std::vector<double>& k,
                        const std::vector<double>& v) {
    const auto out = ref::attention(one.shape(), q, k, v, one.segments);
    double sum = 0;
    for (std::size_t i = 0; i < out.o.size(); ++i) sum += out.o[i] * one.grad_o[i];
    return sum;
  };
  std::vector<double> inputs[] = {widen(one.q), widen(one.k), widen(one.v)};
  const std::vector<double>* wanted[] = {&gradients.dq, &gradients.dk, &gradients.dv};
  for (std::size_t which = 0; which < 3; ++which) {
    for (std::size_t i = 0; i < inputs[which].size(); ++i) {
      double& x = inputs[which][i];
      const double middle = x, step = 1e-5;
      x = middle + step;
      const double above = loss(inputs[0], inputs[1], inputs[2]);
      x = middle - step;
      const double below = loss(inputs[0], inputs[1], inputs[2]);
      x = middle;
      EXPECT_NEAR((above - below) / (2 * step), (*wanted[which])[i], 1e-8)
          << "input " << which << " [" << i << "]";
    }
  }
}
TEST(AttentionReferenceTest, GradientsMatchFiniteDifferences) {
  testing::Dimensions size{.sequence = 9, .head_size = 3, .batch = 1, .heads = 4, .kv_heads = 2};
  for (const std::size_t value_size : {3, 2, 5}) {
    size.value_size = value_size;
    expect_finite_differences(size);
  }
}

}  // namespace
}  // namespace megascale::kernels
