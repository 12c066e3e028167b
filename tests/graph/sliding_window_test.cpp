// Each function of the sliding window against a loop over all pairs of query and key.
#include "megascale/graph/sliding_window.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace megascale::graph {
namespace {

constexpr std::size_t kSequence = 13;
constexpr std::size_t kWindows[] = {0, 1, 2, 5, 12, 13, 14, 100};

// The rule as the papers say it: a query sees the `window` last keys up to its own.
bool sees(std::size_t query, std::size_t key, std::size_t window) {
  if (key > query) return false;
  return window == 0 || key + window > query;
}

TEST(SlidingWindowTest, ThreeKeysOfAWindowOfThree) {
  EXPECT_EQ(first_visible_key(1, 3), 0U);
  EXPECT_EQ(first_visible_key(2, 3), 0U);
  EXPECT_EQ(first_visible_key(3, 3), 1U);
  EXPECT_EQ(first_visible_key(9, 3), 7U);
  EXPECT_EQ(first_visible_key(9, 0), 0U);
  EXPECT_EQ(end_of_seeing_queries(7, 3, 100), 10U);
  EXPECT_EQ(end_of_seeing_queries(7, 3, 8), 8U);
  EXPECT_EQ(end_of_seeing_queries(7, 0, 100), 100U);
}

TEST(SlidingWindowTest, AgreesWithEveryPair) {
  for (const std::size_t window : kWindows) {
    std::size_t most = 0, pairs = 0;
    for (std::size_t query = 0; query < kSequence; ++query) {
      std::size_t count = 0, first = kSequence;
      for (std::size_t key = kSequence; key-- > 0;) {
        ASSERT_EQ(is_visible(query, key, window), sees(query, key, window))
            << "window " << window << ", query " << query << ", key " << key;
        if (!sees(query, key, window)) continue;
        first = key;
        ++count;
      }
      EXPECT_EQ(first_visible_key(query, window), first) << "window " << window;
      most = std::max(most, count);
      pairs += count;
    }
    for (std::size_t key = 0; key < kSequence; ++key) {
      std::size_t end = 0;
      for (std::size_t query = 0; query < kSequence; ++query)
        if (sees(query, key, window)) end = query + 1;
      EXPECT_EQ(end_of_seeing_queries(key, window, kSequence), end) << "window " << window;
    }
    EXPECT_EQ(most_visible_keys(kSequence, window), most);
    EXPECT_EQ(visible_pairs(kSequence, window),
              static_cast<double>(pairs) - static_cast<double>(most) / 2);
  }
}

}  // namespace
}  // namespace megascale::graph
