#include "megascale/study/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace megascale::study {
namespace {

TEST(StatisticsTest, SpreadIsOfTheSortedValues) {
  struct Case {
    std::vector<double> values;
    double median, min, max;
  };
  for (const Case& c : {Case{{5}, 5, 5, 5}, Case{{3, 1, 2}, 2, 1, 3}, Case{{2, 1}, 2, 1, 2},
                        Case{{4, 1, 3, 2}, 3, 1, 4}, Case{{-1, -1, 7}, -1, -1, 7}}) {
    const Spread spread = spread_of(c.values);
    EXPECT_EQ(spread.median, c.median);
    EXPECT_EQ(spread.min, c.min);
    EXPECT_EQ(spread.max, c.max);
  }
  EXPECT_EQ(median_or_zero({}), 0);
  EXPECT_EQ(median_or_zero({9, 7, 8}), 8);
}

TEST(StatisticsTest, QuantileIsTheSmallestValueThatTheShareDoesNotExceed) {
  const std::vector<double> values{40, 10, 30, 20};
  for (const auto& [share, expected] :
       {std::pair{0.01, 10}, {0.25, 10}, {0.26, 20}, {0.5, 20}, {0.75, 30}, {0.76, 40}, {1.0, 40}})
    EXPECT_EQ(quantile(values, share), expected) << share;
  std::vector<double> hundred;
  for (int i = 100; i > 0; --i) hundred.push_back(i);
  EXPECT_EQ(quantile(hundred, 0.05), 5);
  EXPECT_EQ(quantile(hundred, 0.95), 95);
}

TEST(StatisticsTest, GrowthExponentOfAPowerIsItsExponent) {
  for (const double exponent : {-1.0, 0.0, 0.5, 1.0, 2.0}) {
    std::vector<Point> points;
    for (const double x : {64.0, 128.0, 256.0, 1024.0})
      points.push_back({x, 3 * std::pow(x, exponent)});
    EXPECT_NEAR(growth_exponent(points), exponent, 1e-12);
  }
  // One point above and one below the line, as far in the logarithm: the line stays.
  EXPECT_NEAR(growth_exponent(std::vector<Point>{{1, 2}, {2, 1}, {2, 4}, {4, 2}}), 0, 1e-12);
}

TEST(StatisticsTest, ProportionIsTheLeastSquaresLineThroughTheOrigin) {
  EXPECT_DOUBLE_EQ(proportion(std::vector<Point>{{1, 3}, {2, 6}, {5, 15}}), 3);
  // sum x y / sum x x = (1 * 1 + 2 * 3) / (1 + 4)
  EXPECT_DOUBLE_EQ(proportion(std::vector<Point>{{1, 1}, {2, 3}}), 1.4);
  EXPECT_EQ(proportion(std::vector<Point>{{0, 3}}), 0);
  EXPECT_EQ(proportion({}), 0);
}

}  // namespace
}  // namespace megascale::study
