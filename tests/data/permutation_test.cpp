#include "megascale/data/permutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace megascale {
namespace {

std::vector<std::int64_t> all_of(std::int64_t size, std::uint64_t seed = 1, std::uint64_t epoch = 0,
                                 std::string_view purpose = "train") {
  const Permutation permutation(size, seed, purpose, epoch);
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(permutation(i));
  return values;
}

TEST(PermutationTest, TakesEveryValueOnceAtEverySize) {
  std::vector<std::int64_t> sizes{1000, 4095, 4096, 4097, 65'537};
  for (std::int64_t size = 1; size <= 130; ++size) sizes.push_back(size);
  for (const std::int64_t size : sizes) {
    std::vector<bool> seen(static_cast<std::size_t>(size));
    for (const std::int64_t value : all_of(size)) {
      ASSERT_TRUE(value >= 0 && value < size) << size;
      ASSERT_FALSE(seen[static_cast<std::size_t>(value)]) << size << " repeats " << value;
      seen[static_cast<std::size_t>(value)] = true;
    }
  }
}

TEST(PermutationTest, DependsOnSeedEpochAndPurpose) {
  const auto base = all_of(100);
  EXPECT_EQ(all_of(100), base);
  EXPECT_NE(all_of(100, 2), base);
  EXPECT_NE(all_of(100, 1, 1), base);
  EXPECT_NE(all_of(100, 1, 0, "other"), base);
  EXPECT_NE(all_of(100, 1, std::uint64_t{1} << 33), base);
}

// The order of a run that resumes with another build must not change: these values are a promise.
// They come from a second implementation, in another language, of what the header says.
TEST(PermutationTest, KnownAnswers) {
  EXPECT_THAT(all_of(10, 1234), ::testing::ElementsAre(7, 2, 4, 0, 3, 5, 9, 6, 8, 1));
  EXPECT_EQ(Permutation(std::int64_t{1} << 40, 1234, "train", 5)(123'456'789), 603'247'788'884);
}

// Goal: no place is preferred.  Method: over 6,000 epochs of 6 values each of the 36 (index, value)
// pairs has a binomial count with mean 1,000 and deviation 29; a pair at more than 5 deviations
// would be a defect (chance 2e-5 for all).
TEST(PermutationTest, EveryValueIsEquallyLikelyAtEveryIndex) {
  int counts[6][6] = {};
  for (std::uint64_t epoch = 0; epoch < 6000; ++epoch) {
    const auto values = all_of(6, 99, epoch);
    for (std::size_t i = 0; i < 6; ++i) ++counts[i][values[i]];
  }
  for (const auto& row : counts) {
    for (const int count : row) EXPECT_NEAR(count, 1000, 145);
  }
}

// Neighbours must not stay neighbours: the mean distance between values of consecutive indices is a
// third of the size.
TEST(PermutationTest, NeighboursAreScattered) {
  for (const std::int64_t size :
       {std::int64_t{1000}, std::int64_t{1} << 14, (std::int64_t{1} << 50) + 12345}) {
    const Permutation permutation(size, 7, "train", 3);
    double sum = 0;
    constexpr int kPairs = 999;
    for (std::int64_t i = 0; i < kPairs; ++i) {
      sum += std::abs(static_cast<double>(permutation(i) - permutation(i + 1)));
    }
    EXPECT_NEAR(sum / kPairs / static_cast<double>(size), 1.0 / 3, 0.03) << size;
  }
}

}  // namespace
}  // namespace megascale
