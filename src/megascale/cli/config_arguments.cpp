// Loads the configuration that a command line describes. Overrides come from three sources; a later
// one wins: the launcher's number of ranks, --set, --ranks. If a launcher started the ranks, their
// number is fixed, and the command line may only repeat it.
#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/config/load.h"

namespace megascale::cli {

void ConfigArguments::add_to(Command& command) {
  command.option("CONFIG", file, "configuration file (TOML)").required();
  command.option("--set", overrides, "override: section.key=value (may be repeated)");
  command.option("--ranks", ranks, "ranks of this job (parallel.world_size)").positive();
}

Config ConfigArguments::load(std::uint32_t launched) const {
  const auto require_launched = [&](std::int64_t wanted) {
    if (launched == 0 || wanted == launched) return;
    throw Error(ErrorCode::bad_usage,
                fmt::format("the command line asks for {} ranks, but the launcher started {} "
                            "processes: leave out --ranks (or --set parallel.world_size), or start "
                            "as many",
                            wanted, launched));
  };
  if (ranks > 0) require_launched(ranks);
  std::vector<std::string> all;
  // It wins over the file. A different number on the command line is an error.
  if (launched > 0) all.push_back(fmt::format("parallel.world_size={}", launched));
  all.insert(all.end(), overrides.begin(), overrides.end());
  if (ranks > 0) all.push_back(fmt::format("parallel.world_size={}", ranks));
  Config config = load_config(file, all);
  require_launched(config.parallel.world_size);
  return config;
}

}  // namespace megascale::cli
