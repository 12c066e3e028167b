#include "megascale/cli/jitter_effect.h"

#include <fmt/format.h>

#include <algorithm>

namespace megascale::cli {

JitterEffect jitter_effect(const SimulatedStep& with, const SimulatedStep& without) {
  return {.jitter = with.jitter,
          .steps = std::max<std::size_t>(with.seconds_by_step.size(), 2) - 1,
          .seconds = with.steady_seconds(),
          .even_step_seconds = without.seconds};
}

void print(const JitterEffect& effect) {
  fmt::print(
      "jitter     sigma {}, seed {}: median {:.4f} s, {:.4f} to {:.4f} s in {} steps; {:.4f} times "
      "the {:.4f} s without it\n",
      effect.jitter.sigma, effect.jitter.seed, effect.seconds.median, effect.seconds.min,
      effect.seconds.max, effect.steps, effect.ratio(), effect.even_step_seconds);
}

nlohmann::ordered_json to_json(const JitterEffect& effect) {
  return {{"sigma", effect.jitter.sigma},
          {"seed", effect.jitter.seed},
          {"steps", effect.steps},
          {"median_seconds", effect.seconds.median},
          {"min_seconds", effect.seconds.min},
          {"max_seconds", effect.seconds.max},
          {"even_step_seconds", effect.even_step_seconds},
          {"ratio", effect.ratio()}};
}

}  // namespace megascale::cli
