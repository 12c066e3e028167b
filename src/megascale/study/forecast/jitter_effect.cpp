// Summarizes what jitter costs a step. The first simulated step is left out, because it cannot
// overlap with a step before it.
#include "megascale/study/forecast/jitter_effect.h"

#include <algorithm>

namespace megascale::study {

JitterEffect jitter_effect(const SimulatedStep& with, const SimulatedStep& without) {
  return {.jitter = with.jitter,
          .steps = std::max<std::size_t>(with.seconds_by_step.size(), 2) - 1,
          .seconds = with.steady_seconds(),
          .even_step_seconds = without.seconds};
}

}  // namespace megascale::study
