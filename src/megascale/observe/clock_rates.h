#ifndef MEGASCALE_OBSERVE_CLOCK_RATES_H_
#define MEGASCALE_OBSERVE_CLOCK_RATES_H_

#include <optional>
#include <vector>

#include "megascale/observe/clock_fit.h"

namespace megascale::observe {

// How much a clock gains on another one: nanoseconds in one. The true value lies within
// `middle` +- `half` if both run at constant rates.
struct RateRange {
  double middle = 0, half = 0;
};
// Two clocks differ by less: crystals by 0.0002, and NTP changes a rate by at most 0.0005.
inline constexpr double kMostRate = 1e-3;

// Returns, for each clock, what clock 0 gains on it; nothing if transfers connect the two in no way.
[[nodiscard]] std::vector<std::optional<RateRange>> rates_of(const ClockBounds& bounds);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_CLOCK_RATES_H_
