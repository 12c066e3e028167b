#ifndef MEGASCALE_CLI_SPREAD_H_
#define MEGASCALE_CLI_SPREAD_H_

#include <vector>

namespace megascale::cli {

struct Spread {
  double median = 0, min = 0, max = 0;
};
// Of at least one value; of an even number the median is the upper one of the middle two.
[[nodiscard]] Spread spread_of(std::vector<double> values);
// The least of the values that at least this share of them, above 0, does not exceed.
[[nodiscard]] double quantile(std::vector<double> values, double share);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_SPREAD_H_
