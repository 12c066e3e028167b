#ifndef MEGASCALE_STUDY_STATISTICS_H_
#define MEGASCALE_STUDY_STATISTICS_H_

#include <span>
#include <vector>

// Statistics of repeated measurements. All functions are pure. A result has the unit of the values.
namespace megascale::study {

// The median, the smallest and the largest of a set of values.
struct Spread {
  double median = 0, min = 0, max = 0;
};
// Returns the spread of `values`, which must not be empty. If their number is even, the median is
// the upper of the two middle values. So the median is always a value that was measured.
[[nodiscard]] Spread spread_of(std::vector<double> values);
// Returns spread_of(values).median, or 0 if there are no values.
[[nodiscard]] double median_or_zero(std::vector<double> values);
// Returns the smallest value v such that at least the fraction `share` of all values is at most v.
// `values` must not be empty; 0 < share <= 1.
[[nodiscard]] double quantile(std::vector<double> values, double share);

// A measured point. growth_exponent() requires x and y above 0.
struct Point {
  double x = 0, y = 0;
};
// Fits y = c x^k to the points, by least squares of the logarithms, and returns the exponent k. At
// least two points must differ in x.
[[nodiscard]] double growth_exponent(std::span<const Point> points);
// Fits the line y = k x through the origin, by least squares, and returns k. Returns 0 if every x
// is 0.
[[nodiscard]] double proportion(std::span<const Point> points);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_STATISTICS_H_
