// Runs a robust job and turns its end into an outcome.
#include "megascale/cli/start_robust.h"

#include "megascale/control/robust_run.h"

namespace megascale::cli {

Outcome start_robust(const Config& config, std::uint32_t ranks) {
  const control::RobustEnd end = control::run_robust(
      config, ranks, [](const std::string& message) { say("megascale: " + message); });
  Outcome outcome{.exit_code = end.exit_code};
  const auto of_rank = nlohmann::ordered_json::parse(end.output, nullptr, false);
  if (of_rank.is_object()) outcome.json = of_rank;
  if (!end.error.empty()) {
    say("megascale: " + end.error);
    outcome.json["errors"] = {end.error};
  }
  outcome.json["attempts"] = end.attempts;
  outcome.json["incidents"] = end.incidents;
  return outcome;
}

}  // namespace megascale::cli
