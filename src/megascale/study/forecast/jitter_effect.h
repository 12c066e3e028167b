#ifndef MEGASCALE_STUDY_FORECAST_JITTER_EFFECT_H_
#define MEGASCALE_STUDY_FORECAST_JITTER_EFFECT_H_

#include <cstdint>

#include "megascale/study/forecast/simulated_step.h"
#include "megascale/study/statistics.h"

namespace megascale::study {

// The length of a step with jitter, and without.
struct JitterEffect {
  simulate::Jitter jitter;
  std::size_t steps = 0;         // number of steps in `seconds`
  Spread seconds;                // with jitter: SimulatedStep::steady_seconds
  double even_step_seconds = 0;  // without jitter
  [[nodiscard]] double ratio() const noexcept { return seconds.median / even_step_seconds; }
};

// Compares a job that was simulated with jitter (`with`) and without it (`without`). A pure
// function.
[[nodiscard]] JitterEffect jitter_effect(const SimulatedStep& with, const SimulatedStep& without);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_FORECAST_JITTER_EFFECT_H_
