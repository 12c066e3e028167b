#include "megascale/cli/jitter_effect.h"

#include <fmt/format.h>

namespace megascale::cli {

JitterEffect jitter_effect(const simulate::Jitter& jitter, const SimulatedStep& with,
                           const SimulatedStep& without) {
  std::vector<double> seconds = with.seconds_by_step;
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  return {.jitter = jitter,
          .steps = seconds.size(),
          .seconds = spread_of(seconds),
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
