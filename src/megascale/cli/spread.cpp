#include "megascale/cli/spread.h"

#include <algorithm>

namespace megascale::cli {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

}  // namespace megascale::cli
