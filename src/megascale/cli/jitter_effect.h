#ifndef MEGASCALE_CLI_JITTER_EFFECT_H_
#define MEGASCALE_CLI_JITTER_EFFECT_H_

#include <cstdint>
#include <nlohmann/json.hpp>

#include "megascale/cli/simulated_step.h"
#include "megascale/cli/spread.h"

namespace megascale::cli {

// How long steps take with jitter, and without.
struct JitterEffect {
  simulate::Jitter jitter;
  std::size_t steps = 0;         // that count
  Spread seconds;                // SimulatedStep::steady_seconds
  double even_step_seconds = 0;  // without jitter
  [[nodiscard]] double ratio() const noexcept { return seconds.median / even_step_seconds; }
};

// `with`: simulated with jitter; `without`: the same steps without.
[[nodiscard]] JitterEffect jitter_effect(const SimulatedStep& with, const SimulatedStep& without);

void print(const JitterEffect& effect);
[[nodiscard]] nlohmann::ordered_json to_json(const JitterEffect& effect);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_JITTER_EFFECT_H_
