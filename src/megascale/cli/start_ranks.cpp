// Runs the ranks of a job as processes and turns their end into an outcome.
#include "megascale/cli/start_ranks.h"

#include "megascale/launch/rank_processes.h"

namespace megascale::cli {

Outcome start_ranks(std::uint32_t ranks) {
  const launch::RanksEnd end = launch::run_rank_processes(
      ranks, [](const std::string& message) { say("megascale: " + message); });
  // Rank 0 has printed the JSON object of --json, unless a signal ended it.
  Outcome outcome{.exit_code = end.exit_code, .json_is_printed = end.first_rank_exited};
  if (!end.error.empty()) outcome.json["errors"] = {end.error};
  return outcome;
}

}  // namespace megascale::cli
