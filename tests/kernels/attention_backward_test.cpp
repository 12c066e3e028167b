#include <gtest/gtest.h>

#include <span>
#include <string>

#include "kernels/attention_case.h"
#include "kernels/dense_support.h"
#include "megascale/kernels/cpu/attention.h"
#include "support/close.h"

namespace megascale::kernels {
namespace {

using testing::AttentionCase;
using testing::AttentionResult;
using testing::Dimensions;
using testing::kAttentionSizes;
using testing::kAttentionValueSizes;
using testing::kAttentionWindows;
using testing::relative_norm_error;

// The header's figure. A gradient that is 0 by the definition (one visible key: dq, dk) is held to
// rounding instead.
void expect_close(const std::vector<float>& got, const std::vector<double>& want,
                  const std::string& what) {
  double squares = 0;
  for (const double w : want) squares += w * w;
  if (squares > 1e-12) {
    EXPECT_LT(relative_norm_error(got, want), 3e-6) << what;
  } else {
    EXPECT_TRUE(testing::all_close(got, want, 0, 1e-5)) << what;
  }
}
void expect_close(const AttentionResult& got, const ref::AttentionGradients& want,
                  const std::string& what) {
  expect_close(got.dq, want.dq, "dq " + what);
  expect_close(got.dk, want.dk, "dk " + what);
  expect_close(got.dv, want.dv, "dv " + what);
}

// One head of one sequence on two and three threads is cut into sets of keys with partial sums of
// dq.
void expect_gradients_match(std::span<const Dimensions> sizes) {
  for (const std::size_t threads : {1, 2, 3}) {
    for (const Dimensions& size : sizes) {
      for (const std::size_t window : kAttentionWindows) {
        for (const bool segmented : {false, true}) {
          const AttentionCase one(size, window, segmented);
          expect_close(one.backward(threads), one.reference_gradients(),
                       one.describe() + " threads " + std::to_string(threads));
        }
      }
    }
  }
}

TEST(AttentionBackwardTest, MatchesReference) { expect_gradients_match(kAttentionSizes); }
TEST(AttentionBackwardTest, ValuesOfAnotherSizeMatchReference) {
  expect_gradients_match(kAttentionValueSizes);
}

TEST(AttentionBackwardTest, SameBitsEveryTime) {
  for (const Dimensions& size :
       {Dimensions{.sequence = 700, .head_size = 32, .batch = 2, .heads = 4, .kv_heads = 2},
        Dimensions{.sequence = 500, .head_size = 24, .batch = 1, .heads = 2, .kv_heads = 1}}) {
    const AttentionCase one(size, 0, false);
    const AttentionResult first = one.backward(2);
    for (int repeat = 0; repeat < 8; ++repeat) {
      const AttentionResult again = one.backward(2);
      EXPECT_TRUE(testing::same_bits(again.dq, first.dq));
      EXPECT_TRUE(testing::same_bits(again.dk, first.dk));
      EXPECT_TRUE(testing::same_bits(again.dv, first.dv));
    }
  }
}

// Four heads on one thread and on two: nothing is cut, the bits are the same.
TEST(AttentionBackwardTest, BitsDoNotDependOnATeamThatDividesTheHeads) {
  const AttentionCase one({.sequence = 200, .head_size = 32, .batch = 2, .heads = 4, .kv_heads = 2},
                          0, false);
  const AttentionResult alone = one.backward(1), both = one.backward(2);
  EXPECT_TRUE(testing::same_bits(alone.dq, both.dq));
  EXPECT_TRUE(testing::same_bits(alone.dk, both.dk));
  EXPECT_TRUE(testing::same_bits(alone.dv, both.dv));
}

// Only the last queries have gradients: what the whole gives when the other rows of do are zero.
void expect_gradients_of_last(const Dimensions& size, std::size_t window, std::size_t queries) {
  AttentionCase one(size, window, true);
  const std::size_t width = one.query_width(), out = one.output_width();
  for (std::size_t b = 0; b < size.batch; ++b) {
    std::fill_n(one.grad_o.data() + b * size.sequence * out, (size.sequence - queries) * out, 0.0F);
  }
  auto want = one.reference_gradients();
  std::vector<double> dq;
  for (std::size_t b = 0; b < size.batch; ++b) {
    const auto last =
        std::span(want.dq).subspan(((b + 1) * size.sequence - queries) * width, queries * width);
    dq.insert(dq.end(), last.begin(), last.end());
  }
  want.dq = dq;
  expect_close(one.backward(2, queries), want,
               one.describe() + " queries " + std::to_string(queries));
}

TEST(AttentionBackwardTest, FewerQueriesThanKeys) {
  const Dimensions size{.sequence = 150, .head_size = 40, .batch = 2, .heads = 4, .kv_heads = 2};
  for (const std::size_t window : {0, 50}) {
    for (const std::size_t queries :
         {1, 49, 70, 142, 149}) {  // 142: tiles of queries and keys do not start together
      expect_gradients_of_last(size, window, queries);
    }
  }
  Dimensions values = size;
  values.value_size = 24;
  for (const std::size_t queries : {49, 142}) expect_gradients_of_last(values, 50, queries);
  // Chunks of queries that do not begin where blocks of keys do; keys in front of every window.
  const Dimensions chunked{.sequence = 300, .head_size = 64, .heads = 8, .kv_heads = 1};
  for (const std::size_t window : {0, 50}) expect_gradients_of_last(chunked, window, 190);
}

TEST(AttentionBackwardTest, NanReachesTheGradients) {
  AttentionCase one({.sequence = 130, .head_size = 16}, 0, false);
  one.grad_o[100 * 16 + 3] = NAN;
  const AttentionResult got = one.backward(1);
  for (std::size_t i = 0; i < 130; ++i) {
    EXPECT_EQ(std::isnan(got.dq[i * 16]), i == 100) << i;
    if (i <= 100) {
      EXPECT_TRUE(std::isnan(got.dk[i * 16])) << i;
    }
    if (i > 105) {  // a key that no NaN row sees, outside the row's register tile
      EXPECT_FALSE(std::isnan(got.dk[i * 16])) << i;
    }
  }
}

}  // namespace
}  // namespace megascale::kernels
