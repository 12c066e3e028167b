// Goal: the order of a blend keeps its shares at every sample, and any sample is found without those
// before it.  Method: a count of all samples from the first one on.
#include "megascale/data/blend_order.h"

#include <gtest/gtest.h>

#include <cmath>

#include "megascale/base/philox.h"

namespace megascale {
namespace {

std::vector<double> random_weights(std::uint64_t seed) {
  const PhiloxStream random(seed, "weights");
  std::vector<double> weights(1 + random.bits(0) % 9);
  for (std::size_t s = 0; s < weights.size(); ++s) {
    // Some weights are equal, so that samples are due at equal times; some are tiny.
    const double fraction = random.uniform(2 * s + 2);
    weights[s] = random.bits(2 * s + 1) % 3 == 0 ? 1.0 : std::pow(10.0, -3 * fraction);
  }
  return weights;
}

// The next sample comes from the source that is due first.
class PlainOrder {
 public:
  explicit PlainOrder(const BlendOrder& order) : order_(order), counts_(order.sources()) {}
  BlendOrder::Place next() {
    std::size_t first = 0;
    for (std::size_t s = 1; s < counts_.size(); ++s)
      if (due(s) < due(first)) first = s;
    return {first, counts_[first]++};
  }
  [[nodiscard]] std::int64_t count(std::size_t source) const { return counts_[source]; }

 private:
  [[nodiscard]] double due(std::size_t source) const {
    return (static_cast<double>(counts_[source]) + 0.5) / order_.share(source);
  }
  const BlendOrder& order_;
  std::vector<std::int64_t> counts_;
};

TEST(BlendOrderTest, EverySampleIsWhereACountOfAllFindsIt) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const BlendOrder order(random_weights(seed));
    PlainOrder plain(order);
    for (std::int64_t number = 0; number < 2000; ++number) {
      for (std::size_t s = 0; s < order.sources(); ++s)
        ASSERT_EQ(order.count_before(number, s), plain.count(s)) << "seed " << seed;
      const BlendOrder::Place place = plain.next();
      ASSERT_EQ(order.place_of(number), place) << "seed " << seed << ", sample " << number;
      ASSERT_EQ(order.number_of(place), number) << "seed " << seed;
    }
  }
}

TEST(BlendOrderTest, SharesHoldAtEverySample) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<double> weights = random_weights(seed);
    const BlendOrder order(weights);
    double sum = 0;
    for (const double weight : weights) sum += weight;
    const auto sources = static_cast<double>(weights.size());
    for (std::int64_t number = 0; number < 3000; ++number) {
      for (std::size_t s = 0; s < weights.size(); ++s) {
        const double share = weights[s] / sum;
        ASSERT_NEAR(static_cast<double>(order.count_before(number, s)),
                    share * static_cast<double>(number), 0.5 + share * sources / 2 + 1e-9)
            << "seed " << seed << ", sample " << number << ", source " << s;
      }
    }
  }
}

// After years of training the order is as exact as at its start.
TEST(BlendOrderTest, FarSamplesAreFoundToo) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const BlendOrder order(random_weights(seed));
    const PhiloxStream random(seed, "numbers");
    const std::int64_t first = std::int64_t{1} << (30 + random.bits(0) % 13);
    std::vector<std::int64_t> counts(order.sources());
    for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = order.count_before(first, s);
    for (std::int64_t number = first; number < first + 500; ++number) {
      const BlendOrder::Place place = order.place_of(number);
      ASSERT_EQ(place.number, counts[place.source]++) << "seed " << seed << ", sample " << number;
      ASSERT_EQ(order.number_of(place), number);
    }
  }
}

TEST(BlendOrderTest, OnlyTheRatiosOfWeightsCount) {
  const BlendOrder small(std::vector{2.0, 1.0, 1.0}), large(std::vector{1e300, 5e299, 5e299}),
      huge(std::vector{1.6e308, 8e307, 8e307});
  for (std::int64_t number = 0; number < 100; ++number) {
    EXPECT_EQ(small.place_of(number), large.place_of(number));
    EXPECT_EQ(small.place_of(number), huge.place_of(number));
  }
  // Equal weights take turns.
  const BlendOrder equal(std::vector{1.0, 1.0, 1.0});
  for (std::int64_t number = 0; number < 99; ++number)
    EXPECT_EQ(equal.place_of(number),
              (BlendOrder::Place{static_cast<std::size_t>(number % 3), number / 3}));
}

}  // namespace
}  // namespace megascale
