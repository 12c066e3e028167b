#ifndef MEGASCALE_OBSERVE_SPREAD_H_
#define MEGASCALE_OBSERVE_SPREAD_H_

#include <span>

// Which of several values stands out. Medians are used, so that up to half of the values may stand
// out themselves: they do not move the limit. Pure.
namespace megascale::observe {

// Returns the median; of an even number of values the lower one. `values` must not be empty.
[[nodiscard]] double lower_median(std::span<const double> values);

struct Spread {
  double usual = 0;  // the lower median
  double limit = 0;  // a value above it stands out
};
// The limit exceeds the median by `least`, and by 5 robust standard deviations: 1.4826 times the
// median absolute deviation is the standard deviation of normal values. So values that all differ
// have a high limit. `values` must not be empty.
[[nodiscard]] Spread spread_of(std::span<const double> values, double least);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_SPREAD_H_
