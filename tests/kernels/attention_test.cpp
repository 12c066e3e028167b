#include "megascale/kernels/cpu/attention.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "kernels/attention_case.h"
#include "kernels/dense_support.h"
#include "megascale/base/error.h"
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

// Goal: forward meets the header's figure for every size, window and layout.
// Method: normal data against the double reference; outputs, gaps between rows and scratch start as
// NaN.
void expect_forward_matches(std::span<const Dimensions> sizes) {
  for (const std::size_t threads : {1, 2}) {
    for (const Dimensions& size : sizes) {
      for (const std::size_t window : kAttentionWindows) {
        for (const bool segmented : {false, true}) {
          AttentionCase one(size, window, segmented);
          const auto want = one.reference();
          const AttentionResult got = one.forward(threads);
          EXPECT_LT(relative_norm_error(got.o, want.o), 3e-6) << one.describe();
          EXPECT_TRUE(testing::all_close(got.lse, want.lse, 2e-6, 2e-6)) << one.describe();
        }
      }
    }
  }
}
TEST(AttentionForwardTest, MatchesReference) { expect_forward_matches(kAttentionSizes); }
TEST(AttentionForwardTest, ValuesOfAnotherSizeMatchReference) {
  expect_forward_matches(kAttentionValueSizes);
}

// The same values in heads of `value_size` channels or, with zeros behind them, of head_size channels
// have the same outputs: the size decides only what is stored.
TEST(AttentionForwardTest, SmallerValuesHaveTheBitsOfPaddedOnes) {
  constexpr std::size_t kSize = 48, kValues = 20;
  const Dimensions size{.sequence = 150, .head_size = kSize, .heads = 4, .kv_heads = 2};
  Dimensions small = size;
  small.value_size = kValues;
  AttentionCase wide(size, 70, true), narrow(small, 70, true);
  for (std::size_t i = 0; i < wide.v.size(); ++i) {
    const std::size_t head = i / kSize, channel = i % kSize;
    wide.v[i] = channel < kValues ? narrow.v[head * kValues + channel] : 0.0F;
  }
  const AttentionResult all = wide.forward(2), some = narrow.forward(2);
  EXPECT_TRUE(testing::same_bits(some.lse, all.lse));
  for (std::size_t i = 0; i < all.o.size(); ++i) {
    const std::size_t head = i / kSize, channel = i % kSize;
    const float want = channel < kValues ? some.o[head * kValues + channel] : 0.0F;
    ASSERT_EQ(all.o[i], want) << i;
  }
}

TEST(AttentionForwardTest, SameBitsEveryTimeAndWithAnyTeam) {
  for (const Dimensions& size :
       {Dimensions{.sequence = 700, .head_size = 32, .batch = 2, .heads = 4, .kv_heads = 2},
        Dimensions{.sequence = 500, .head_size = 24, .batch = 1, .heads = 1, .kv_heads = 1}}) {
    AttentionCase one(size, 0, false);
    const AttentionResult first = one.forward(1);
    for (const std::size_t threads : {1, 2, 3, 2, 2, 2}) {
      const AttentionResult again = one.forward(threads);
      EXPECT_TRUE(testing::same_bits(again.o, first.o)) << threads;
      EXPECT_TRUE(testing::same_bits(again.lse, first.lse)) << threads;
    }
  }
}

// A packed row of documents gives what the documents give one by one.
TEST(AttentionForwardTest, SegmentsAreSeparateSequences) {
  const Dimensions size{.sequence = 210, .head_size = 40, .heads = 4, .kv_heads = 2};
  AttentionCase packed(size, 0, true);
  packed.segments.assign(size.sequence, 7);
  const std::size_t cuts[] = {0, 70, 71, 150, 210};
  for (std::size_t part = 0; part + 1 < std::size(cuts); ++part) {
    for (std::size_t i = cuts[part]; i < cuts[part + 1]; ++i)
      packed.segments[i] = static_cast<std::int32_t>(100 - part);
  }
  const AttentionResult whole = packed.forward(2);
  for (std::size_t part = 0; part + 1 < std::size(cuts); ++part) {
    const AttentionCase alone = packed.slice(cuts[part], cuts[part + 1]);
    const AttentionResult got = alone.forward(2);
    const std::size_t width = size.heads * size.head_size;
    EXPECT_LT(
        relative_norm_error(std::span(whole.o).subspan(cuts[part] * width, got.o.size()), got.o),
        1e-6)
        << part;
  }
}

// Decoding: the last queries against a cache give the last rows of the whole sequence.
TEST(AttentionForwardTest, DecodingGivesTheLastRows) {
  for (const auto& [window, values] :
       {std::pair<std::size_t, std::size_t>{0, 40}, {50, 40}, {50, 24}}) {
    for (const std::size_t queries : {1, 2, 5, 49, 64, 150}) {
      const Dimensions size{.sequence = 150,
                            .head_size = 40,
                            .batch = 2,
                            .heads = 4,
                            .kv_heads = 2,
                            .value_size = values};
      AttentionCase one(size, window, true);
      const auto want = one.reference();
      const AttentionResult got = one.forward(2, queries);
      const std::size_t width = one.output_width();
      for (std::size_t b = 0; b < size.batch; ++b) {
        const auto last =
            std::span(want.o).subspan(((b + 1) * size.sequence - queries) * width, queries * width);
        EXPECT_LT(relative_norm_error(
                      std::span(got.o).subspan(b * queries * width, queries * width), last),
                  3e-6)
            << queries;
        for (std::size_t h = 0; h < size.heads; ++h) {
          const auto lse = std::span(want.lse).subspan(
              (b * size.heads + h + 1) * size.sequence - queries, queries);
          EXPECT_TRUE(testing::all_close(
              std::span(got.lse).subspan((b * size.heads + h) * queries, queries), lse, 2e-6,
              2e-6));
        }
      }
    }
  }
}

// Scores of some hundreds: the running maximum carries them, where a plain exp overflows.
TEST(AttentionForwardTest, LargeScores) {
  AttentionCase one({.sequence = 200, .head_size = 64, .heads = 2, .kv_heads = 1}, 0, false);
  for (float& q : one.q) q *= 320.0F;
  const auto want = one.reference();
  const AttentionResult got = one.forward(2);
  EXPECT_TRUE(testing::all_close(got.lse, want.lse, 2e-6, 1e-4));
  EXPECT_LT(relative_norm_error(got.o, want.o), 1e-3);
}

TEST(AttentionForwardTest, NanReachesTheOutputsThatSeeIt) {
  AttentionCase one({.sequence = 130, .head_size = 16, .heads = 2, .kv_heads = 2}, 0, false);
  one.q[(100 * 2 + 1) * 16 + 3] = NAN;
  const AttentionResult got = one.forward(1);
  for (std::size_t i = 0; i < 130; ++i) {
    for (std::size_t h = 0; h < 2; ++h) {
      const bool bad = i == 100 && h == 1;
      EXPECT_EQ(std::isnan(got.lse[h * 130 + i]), bad) << i;
      for (std::size_t d = 0; d < 16; ++d)
        EXPECT_EQ(std::isnan(got.o[(i * 2 + h) * 16 + d]), bad) << i;
    }
  }
}

void expect_bad_usage(const cpu::AttentionConfig& c, const std::string& part) {
  try {
    cpu::check_attention(c);
    ADD_FAILURE() << "accepted: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
  }
}

TEST(AttentionTest, RefusesWhatCannotBe) {
  cpu::check_attention({.query_heads = 4, .kv_heads = 2, .head_size = 8});
  expect_bad_usage({.query_heads = 4, .kv_heads = 3, .head_size = 8}, "kv_heads 3");
  expect_bad_usage({.head_size = 0}, "head_size 0");
  expect_bad_usage({.max_queries = 2, .max_keys = 1}, "max_queries 2");
}

}  // namespace
}  // namespace megascale::kernels
