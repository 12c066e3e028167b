#ifndef MEGASCALE_STUDY_FORECAST_JITTER_EFFECT_H_
#define MEGASCALE_STUDY_FORECAST_JITTER_EFFECT_H_

#include <cstdint>

#include "megascale/study/forecast/simulated_step.h"
#include "megascale/study/statistics.h"

namespace megascale::study {

// How long steps take with jitter, and without.
struct JitterEffect {
  simulate::Jitter jitter;
  std::size_t steps = 0;         // over which the median is taken
  Spread seconds;                // SimulatedStep::steady_seconds
  double even_step_seconds = 0;  // without jitter
  [[nodiscard]] double ratio() const noexcept { return seconds.median / even_step_seconds; }
};

// `with`: simulated with jitter; `without`: the same steps without.
[[nodiscard]] JitterEffect jitter_effect(const SimulatedStep& with, const SimulatedStep& without);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_JITTER_EFFECT_H_
