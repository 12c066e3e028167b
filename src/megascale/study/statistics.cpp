// The statistics that studies report: spread, quantiles, growth with the number of ranks, and a
// least-squares line through the origin. The inputs are a few dozen measured values. Each function
// therefore sorts a copy of its own, and nothing is kept between calls.
#include "megascale/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace megascale::study {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

double median_or_zero(std::vector<double> values) {
  return values.empty() ? 0.0 : spread_of(std::move(values)).median;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(rank) - 1];
}

double growth_exponent(std::span<const Point> points) {
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  const auto n = static_cast<double>(points.size());
  for (const Point& point : points) {
    const double lx = std::log(point.x), ly = std::log(point.y);
    sum_x += lx;
    sum_y += ly;
    sum_xx += lx * lx;
    sum_xy += lx * ly;
  }
  return (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
}

double proportion(std::span<const Point> points) {
  double products = 0, squares = 0;
  for (const Point& point : points) {
    products += point.x * point.y;
    squares += point.x * point.x;
  }
  return squares > 0 ? products / squares : 0;
}

}  // namespace megascale::study
