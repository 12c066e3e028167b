#include "megascale/observe/spread.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace megascale::observe {

double lower_median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

Spread spread_of(std::span<const double> values, double least) {
  constexpr double kDeviations = 5 * 1.4826;
  const double usual = lower_median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - usual));
  return {.usual = usual, .limit = usual + std::max(least, kDeviations * lower_median(distances))};
}

}  // namespace megascale::observe
