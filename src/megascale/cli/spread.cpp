#include "megascale/cli/spread.h"

#include <algorithm>
#include <cmath>

namespace megascale::cli {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(rank) - 1];
}

}  // namespace megascale::cli
