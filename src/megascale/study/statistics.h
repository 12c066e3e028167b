#ifndef MEGASCALE_STUDY_STATISTICS_H_
#define MEGASCALE_STUDY_STATISTICS_H_

#include <span>
#include <vector>

// What studies compute of repeated measurements. Pure functions; no units.
namespace megascale::study {

struct Spread {
  double median = 0, min = 0, max = 0;
};
// Of at least one value. Of an even number of values the median is the upper one of the middle two,
// so that it is always a value that was measured.
[[nodiscard]] Spread spread_of(std::vector<double> values);
// spread_of().median, or 0 where there is no value.
[[nodiscard]] double median_or_zero(std::vector<double> values);
// The smallest of the values such that at least `share` of all values do not exceed it. At least
// one value; 0 < share <= 1.
[[nodiscard]] double quantile(std::vector<double> values, double share);

// Measurements (x, y), both above 0.
struct Point {
  double x = 0, y = 0;
};
// The exponent k of y = c x^k through the points: least squares of the logarithms. At least two
// different x.
[[nodiscard]] double growth_exponent(std::span<const Point> points);
// The factor k of y = k x through the origin: least squares. 0 where every x is 0.
[[nodiscard]] double proportion(std::span<const Point> points);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_STATISTICS_H_
